// RUN: dlc-opt --gpu-hoist-constant-copies %s | filecheck %s

// From a place that is read after the wait.
// CHECK: gpu.kernel @gathered
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: loop.load
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: gpu.cp_async
gpu.kernel @gathered(%x: memref<32xi32>, %w: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 512 : i64, constant_inputs = array<i64: 1>} {
  %b = gpu.shared_alloc {offset = 0 : i64} : memref<32x4xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  gpu.griddepcontrol_wait
  %n = loop.load %x[%t] : memref<32xi32> -> i32
  %i = arith.index_cast %n : i32 to index
  gpu.cp_async %w[%i, 0] to %b[%t, 0] {bytes = 16 : i64} : memref<32x4xf32>, memref<32x4xf32, #loop.space<shared>>
  gpu.end
}

// Over what is there already.
// CHECK: gpu.kernel @over
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: loop.load
// CHECK-NEXT: loop.store
// CHECK-NEXT: gpu.cp_async
gpu.kernel @over(%x: memref<32xf32>, %w: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 512 : i64, constant_inputs = array<i64: 1>} {
  %b = gpu.shared_alloc {offset = 0 : i64} : memref<32x4xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  gpu.griddepcontrol_wait
  %n = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %n, %b[%t, 0] : f32 -> memref<32x4xf32, #loop.space<shared>>
  gpu.cp_async %w[%t, 0] to %b[%t, 0] {bytes = 16 : i64} : memref<32x4xf32>, memref<32x4xf32, #loop.space<shared>>
  gpu.end
}

// Behind a barrier.
// CHECK: gpu.kernel @behind
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.cp_async
gpu.kernel @behind(%w: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 512 : i64, constant_inputs = array<i64: 0>} {
  %b = gpu.shared_alloc {offset = 0 : i64} : memref<32x4xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  gpu.griddepcontrol_wait
  gpu.barrier
  gpu.cp_async %w[%t, 0] to %b[%t, 0] {bytes = 16 : i64} : memref<32x4xf32>, memref<32x4xf32, #loop.space<shared>>
  gpu.end
}
