// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s
// CHECK-NOT: gpu.register_alloc

// The sums of a loop that stays a loop would be indexed at run time, so they are no registers.
gpu.kernel @rolled(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
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
    }
    loop.store %sum, %y[%t * 4 + %v] : f32 -> memref<64xf32>
  }
  gpu.end
}

// What is carried from one iteration to the next orders them.
gpu.kernel @outer_loop_carries(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %total = scf.for %v = %low to %width step %one iter_args(%c = %zero) -> (f32) {
    %sum = scf.for %k = %low to %width step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k * 4 + %v] : memref<64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    }
    %m = arith.mulf %c, %sum : f32
    scf.yield %m : f32
  } {unroll}
  loop.store %total, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}

// The places of the registers are the numbers of the iterations.
gpu.kernel @counts_by_two(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  scf.for %v = %low to %width step %two {
    %sum = scf.for %k = %low to %width step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k * 4 + %v] : memref<64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    }
    loop.store %sum, %y[%t * 4 + %v] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
