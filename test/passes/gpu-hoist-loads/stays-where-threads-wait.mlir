// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// Threads wait for each other.
// CHECK: gpu.kernel @meets
// CHECK: scf.for
gpu.kernel @meets(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    gpu.barrier
    loop.store %v, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}

// In a part of a round.
// CHECK: gpu.kernel @meets_inside
// CHECK: scf.for
gpu.kernel @meets_inside(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    %again = arith.cmpi eq, %i, %one : index
    scf.if %again {
      gpu.barrier
    }
    loop.store %v, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
