// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// What a stage keeps in shared memory makes room for the next one behind a barrier of the grid.
// CHECK: shared_bytes = 256 : i64
// CHECK: %a = gpu.shared_alloc {offset = 0 : i64}
// CHECK: %d = gpu.shared_alloc {offset = 0 : i64}
gpu.kernel @k(%x: memref<64xf32>, %y: memref<64xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %t = gpu.thread_id x : index
  %v = arith.constant 0.0 : f32
  %a = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %d = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  loop.store %v, %a[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  loop.store %v, %d[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.end
}
