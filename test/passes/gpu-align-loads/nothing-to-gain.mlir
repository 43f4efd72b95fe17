// RUN: dlc-opt %s --gpu-align-loads | filecheck %s
// CHECK-NOT: gpu.register_alloc

// Begins at a multiple of what is loaded at once.
gpu.kernel @aligned(%x: memref<64x72xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %four step %one {
    %a = loop.load %x[%t, %v + 8] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v] : f32 -> memref<64x32xf32>
  } {unroll}
  gpu.end
}

// Two loads would take the place of two.
gpu.kernel @no_fewer(%x: memref<64x72xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %two step %one {
    %a = loop.load %x[%t, %v + 3] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v] : f32 -> memref<64x32xf32>
  } {unroll}
  gpu.end
}

// Lines of 71 begin at other places of a vector each.
gpu.kernel @odd_lines(%x: memref<64x71xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %four step %one {
    %a = loop.load %x[%t, %v + 5] : memref<64x71xf32> -> f32
    loop.store %a, %y[%t, %v] : f32 -> memref<64x32xf32>
  } {unroll}
  gpu.end
}
