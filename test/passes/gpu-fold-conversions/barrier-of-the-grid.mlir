// RUN: dlc-opt --gpu-fold-conversions %s | filecheck %s

// Others may store to %y behind the barrier: the load stays before it.
// CHECK:      loop.load %y[%t, 0]
// CHECK-NEXT: gpu.grid_barrier
// CHECK-NEXT: loop.store
gpu.kernel @k(%x: memref<64x4xf32>, %y: memref<64x4xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %t = gpu.thread_id x : index
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %a = loop.load %y[%t, 0] : memref<64x4xf32> -> f32
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  loop.store %a, %s[0] : f32 -> memref<4xf32, #loop.space<register>>
  gpu.end
}
