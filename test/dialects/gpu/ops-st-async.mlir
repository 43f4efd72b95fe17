// RUN: %roundtrip

gpu.kernel @k(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.mbarrier_init %o[1] {arrivals = 1 : i64} : memref<2xi64, #loop.space<shared>>
  gpu.cluster_arrive
  gpu.cluster_wait
  %rank = gpu.cluster_rank : index
  gpu.st_async %r[0] to %s[%rank * 4] at %o[1] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.end
}
// CHECK:      gpu.cluster_arrive
// CHECK-NEXT: gpu.cluster_wait
// CHECK:      gpu.st_async %r[0] to %s[%rank * 4] at %o[1] of %rank {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
