// RUN: %roundtrip

#box = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [8, 32]>
gpu.kernel @k(%x: memref<64x64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %rank = gpu.cluster_rank : index
  %blocks = loop.index [%rank floordiv 2 * 9 + 3]
  %s = gpu.shared_alloc : memref<8x32xf32, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[0, %rank * 32] to %s[0, 0] at %full[1] multicast %blocks {map = #box} : memref<64x64xf32>, memref<8x32xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.mbarrier_arrive %full[%rank mod 2] of %rank : memref<2xi64, #loop.space<shared>>
  gpu.end
}
// CHECK: gpu.tensor_copy %x[0, %rank * 32] to %s[0, 0] at %full[1] multicast %blocks {map = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [8, 32]>} : memref<64x64xf32>, memref<8x32xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.mbarrier_arrive %full[%rank mod 2] of %rank : memref<2xi64, #loop.space<shared>>
