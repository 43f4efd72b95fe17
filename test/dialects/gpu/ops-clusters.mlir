// RUN: %roundtrip

gpu.kernel @k(%x: memref<8xf32>) attributes {grid = array<i64: 8, 2, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 2, 1>} {
  %rank = gpu.cluster_rank : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.cluster_barrier
  gpu.cluster_load %s[%rank + 32] of %rank to %r[2] {elements = 1 : i64} : memref<64xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.cluster_store %r[0] to %s[%rank * 4] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>
  gpu.end
}
// CHECK:      gpu.kernel @k(%x: memref<8xf32>) attributes {grid = array<i64: 8, 2, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 2, 1>} {
// CHECK-NEXT: %rank = gpu.cluster_rank : index
// CHECK:      gpu.cluster_barrier
// CHECK-NEXT: gpu.cluster_load %s[%rank + 32] of %rank to %r[2] {elements = 1 : i64} : memref<64xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
// CHECK-NEXT: gpu.cluster_store %r[0] to %s[%rank * 4] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>
