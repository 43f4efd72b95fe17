// RUN: dlc-opt %s --gpu-jam-unrolled | filecheck %s
// CHECK-NOT: gpu.register_alloc

// What is stored before the inner loop would be stored again in each of its iterations.
gpu.kernel @stores_before(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    loop.store %zero, %y[%t * 4 + %v] : f32 -> memref<64xf32>
    %sum = scf.for %k = %low to %width step %one iter_args(%a = %zero) -> (f32) {
      %e = loop.load %x[%k * 4 + %v] : memref<64xf32> -> f32
      %n = arith.addf %a, %e : f32
      scf.yield %n : f32
    }
    loop.store %sum, %y[%t * 4 + %v] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}

// A register buffer holds no index.
gpu.kernel @carries_an_index(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %v = %low to %width step %one {
    %place = scf.for %k = %low to %width step %one iter_args(%a = %low) -> (index) {
      %n = arith.addi %a, %v : index
      scf.yield %n : index
    }
    loop.store %zero, %y[%place] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}
