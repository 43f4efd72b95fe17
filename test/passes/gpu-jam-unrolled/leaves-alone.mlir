// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s
// CHECK-NOT: gpu.register_alloc

// The inner loop's length differs from one iteration to the next; the inner loop stores.
gpu.kernel @not_the_same(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    %sum = scf.for %k = %low to %v step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k] : memref<64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    }
    loop.store %sum, %y[%t * 4 + %v] : f32 -> memref<64xf32>
  } {unroll}
  scf.for %v = %low to %width step %one {
    %sum = scf.for %k = %low to %width step %one iter_args(%a = %zero) -> (f32) {
      loop.store %a, %y[%t * 4 + %v] : f32 -> memref<64xf32>
      scf.yield %a : f32
    }
  } {unroll}
  gpu.end
}
