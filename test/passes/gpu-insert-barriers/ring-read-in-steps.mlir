// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// The slice is read in a loop of steps before the next one is written: slot %k mod 4 is not slot
// (%k + 2) mod 4 in any step, since %k is what it was. What one step of %j writes the next one reads.

// CHECK-LABEL: @ring
// CHECK:       scf.for
// CHECK-NEXT:    gpu.barrier
// CHECK:         scf.for
// CHECK-NOT:     gpu.barrier
// CHECK:         loop.store %{{.*}}, %s[(%k + 2) mod 4, %t]
gpu.kernel @ring(%y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<4x32xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 9 : index
  scf.for %k = %zero to %count step %one {
    gpu.barrier
    scf.for %j = %zero to %count step %one {
      %v = loop.load %s[%k mod 4, 31 - %t] : memref<4x32xf32, #loop.space<shared>> -> f32
      loop.store %v, %y[%t] : f32 -> memref<32xf32>
    }
    %f = arith.constant 1.0 : f32
    loop.store %f, %s[(%k + 2) mod 4, %t] : f32 -> memref<4x32xf32, #loop.space<shared>>
  }
  gpu.end
}

// CHECK-LABEL: @another_step
// CHECK:         gpu.barrier
// CHECK-NEXT:    loop.load
gpu.kernel @another_step(%y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<4x32xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 9 : index
  scf.for %j = %zero to %count step %one {
    %v = loop.load %s[%j mod 4, 31 - %t] : memref<4x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%t] : f32 -> memref<32xf32>
    %f = arith.constant 1.0 : f32
    loop.store %f, %s[(%j + 1) mod 4, %t] : f32 -> memref<4x32xf32, #loop.space<shared>>
  }
  gpu.end
}
