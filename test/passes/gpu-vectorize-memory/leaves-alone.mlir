// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s
// CHECK-NOT: gpu.copy

gpu.kernel @not_in_place(%y: memref<64x80xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %high = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  scf.for %v = %low to %high step %one {
    %a = loop.load %y[%t, %v] : memref<64x80xf32> -> f32
    loop.store %a, %y[%t, %v + 4] : f32 -> memref<64x80xf32>
  } {unroll}
  scf.for %v = %low to %high step %one {
    loop.store %zero, %y[%t, %v] : f32 -> memref<64x80xf32>
  }
  gpu.end
}
