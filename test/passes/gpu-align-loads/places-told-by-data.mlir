// RUN: dlc-opt %s --gpu-align-loads | filecheck %s
// CHECK-NOT: gpu.register_alloc

// A column that data tells; elements four columns apart; a loop that stays a loop.
gpu.kernel @others(%x: memref<64x72xf32>, %p: memref<64xi32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %four step %one {
    %n = loop.load %p[%v] : memref<64xi32> -> i32
    %at = arith.index_cast %n : i32 to index
    %a = loop.load %x[%at, %v + 5] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v] : f32 -> memref<64x32xf32>
  } {unroll}
  scf.for %v = %zero to %four step %one {
    %a = loop.load %x[%t, %v * 4 + 5] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v + 4] : f32 -> memref<64x32xf32>
  } {unroll}
  scf.for %v = %zero to %four step %one {
    %a = loop.load %x[%t, %v + 5] : memref<64x72xf32> -> f32
    loop.store %a, %y[%t, %v + 8] : f32 -> memref<64x32xf32>
  }
  gpu.end
}
