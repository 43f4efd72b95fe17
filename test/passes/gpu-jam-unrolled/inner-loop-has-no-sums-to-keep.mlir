// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s

// Without sums there is nothing to keep in registers.
gpu.kernel @carries_nothing(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK-LABEL: @carries_nothing
  // CHECK:      scf.for %v
  // CHECK-NEXT: scf.for %k
  scf.for %v = %low to %width step %one {
    scf.for %k = %low to %width step %one {
      %e = loop.load %x[%k * 4 + %v] : memref<64xf32> -> f32
    }
  } {unroll}
  gpu.end
}

// Both are unrolled: there is no loop whose iterations the loads of neighbours could share.
// CHECK-LABEL: @inner_loop_is_unrolled
// CHECK-NOT: gpu.register_alloc
gpu.kernel @inner_loop_is_unrolled(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    %sum = scf.for %k = %low to %width step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k * 4 + %v] : memref<64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    } {unroll}
    loop.store %sum, %y[%t * 4 + %v] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
