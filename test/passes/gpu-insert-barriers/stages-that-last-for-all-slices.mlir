// RUN: dlc-opt %s -p gpu-insert-barriers | filecheck %s

// Three slices in three stages: the index of the slice that is read has lost its remainder, that of
// the slice that is written has not. They are never the same, so the barrier before them is enough.
// CHECK:      gpu.barrier
// CHECK-NEXT: loop.store
// CHECK-NEXT: loop.load
// CHECK-NOT:  gpu.barrier
gpu.kernel @k(%y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<3x32xf32, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %v = arith.constant 0.0 : f32
  scf.for %k = %zero to %three step %one {
    gpu.barrier
    loop.store %v, %s[(%k + 2) mod 3, %t] : f32 -> memref<3x32xf32, #loop.space<shared>>
    %n = loop.load %s[%k, 31 - %t] : memref<3x32xf32, #loop.space<shared>> -> f32
    loop.store %n, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}
