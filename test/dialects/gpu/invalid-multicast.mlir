// RUN: %invalid

#box = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [8, 32]>
gpu.kernel @copy_without_cluster(%x: memref<64x64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %both = arith.constant 3 : index
  %s = gpu.shared_alloc : memref<8x32xf32, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{stands in a kernel without clusters; give it the key cluster}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %full[0] multicast %both {map = #box} : memref<64x64xf32>, memref<8x32xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @arrival_without_cluster(%x: memref<64x64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %rank = arith.constant 1 : index
  %full = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{stands in a kernel without clusters; give it the key cluster}}
  gpu.mbarrier_arrive %full[0] of %rank : memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @bytes_elsewhere(%x: memref<64x64xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 2, 1, 1>} {
  %rank = arith.constant 1 : index
  %full = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{expects bytes at an object of its own block only}}
  gpu.mbarrier_arrive %full[0] of %rank {bytes = 64 : i64} : memref<1xi64, #loop.space<shared>>
  gpu.end
}
