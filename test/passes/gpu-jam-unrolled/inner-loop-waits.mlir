// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s

// What is loaded before the inner loop is not loaded again behind its barriers.
// CHECK-LABEL: @waits
// CHECK:      scf.for %v
// CHECK-NEXT:   %a = loop.load %s
// CHECK-NEXT:   %r = scf.for %k
// CHECK-NEXT:     gpu.barrier
gpu.kernel @waits(%x: memref<32x9x4xf32>, %y: memref<32x4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0.0 : f32
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  scf.for %v = %c0 to %c4 step %c1 {
    %a = loop.load %s[31 - %t] : memref<32xf32, #loop.space<shared>> -> f32
    %r = scf.for %k = %c0 to %c9 step %c1 iter_args(%acc = %z) -> (f32) {
      gpu.barrier
      %e = loop.load %x[%t, %k, %v] : memref<32x9x4xf32> -> f32
      %m = arith.mulf %e, %a : f32
      %n = arith.addf %acc, %m : f32
      scf.yield %n : f32
    }
    loop.store %r, %y[%t, %v] : f32 -> memref<32x4xf32>
  } {unroll}
  gpu.end
}
