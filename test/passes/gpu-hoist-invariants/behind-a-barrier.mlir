// RUN: dlc-opt %s --gpu-hoist-invariants | filecheck %s

// What another thread may have written is loaded after the wait for it; an input is what it was.
// CHECK-LABEL: @waits
// CHECK:      %b = loop.load %x[0]
// CHECK-NEXT: scf.for
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %a = loop.load %s
gpu.kernel @waits(%x: memref<32xf32>, %y: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %v, %s[%t] : f32 -> memref<32xf32, #loop.space<shared>>
  scf.for %i = %zero to %four step %one {
    gpu.barrier
    %a = loop.load %s[31 - %t] : memref<32xf32, #loop.space<shared>> -> f32
    %b = loop.load %x[0] : memref<32xf32> -> f32
    %c = arith.addf %a, %b : f32
    loop.store %c, %y[%t, %i] : f32 -> memref<32x4xf32>
  } {unroll}
  gpu.end
}
