// RUN: dlc-opt %s --gpu-fold-conversions | filecheck %s

// After the barrier, another thread writes what this one has loaded before it.
// CHECK-LABEL: @told
// CHECK:      loop.load %s
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.store %a, %y
gpu.kernel @told(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  gpu.copy %x[%t] to %s[%t] {elements = 1 : i64} : memref<32xf32>, memref<32xf32, #loop.space<shared>>
  gpu.barrier
  %a = loop.load %s[31 - %t] : memref<32xf32, #loop.space<shared>> -> f32
  gpu.barrier
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.copy %x[%t] to %s[%t] {elements = 1 : i64} : memref<32xf32>, memref<32xf32, #loop.space<shared>>
  gpu.end
}

// An input is the same after a barrier, and so are a thread's own registers.
// CHECK-LABEL: @own
// CHECK:      gpu.barrier
// CHECK-NEXT: gpu.copy %x
// CHECK:      gpu.barrier
// CHECK-NEXT: gpu.copy %r
gpu.kernel @own(%x: memref<32xf16>, %y: memref<32xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %r = gpu.register_alloc : memref<1xf16, #loop.space<register>>
  %a = loop.load %x[%t] : memref<32xf16> -> f32
  gpu.barrier
  loop.store %a, %r[0] : f32 -> memref<1xf16, #loop.space<register>>
  %b = loop.load %r[0] : memref<1xf16, #loop.space<register>> -> f32
  gpu.barrier
  loop.store %b, %y[%t] : f32 -> memref<32xf16>
  gpu.end
}
