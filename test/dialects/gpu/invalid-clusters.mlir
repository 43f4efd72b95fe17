// RUN: %invalid

// expected-error@below {{clusters of [3, 1, 1] do not divide a grid of [4, 1, 1]}}
gpu.kernel @uneven(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 3, 1, 1>} {
  gpu.end
}

// -----

// expected-error@below {{a cluster of 16 blocks; 8 are the most}}
gpu.kernel @many(%x: memref<64xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 16, 1, 1>} {
  gpu.end
}

// -----

// expected-error@below {{cluster = [4] should be three positive sizes, x first}}
gpu.kernel @flat(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4>} {
  gpu.end
}

// -----

gpu.kernel @no_rank(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{stands in a kernel without clusters; give it the key cluster}}
  %n = gpu.cluster_rank : index
  gpu.end
}

// -----

gpu.kernel @no_barrier(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{stands in a kernel without clusters}}
  gpu.cluster_barrier
  gpu.end
}

// -----

gpu.kernel @no_load(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{stands in a kernel without clusters}}
  gpu.cluster_load %s[0] of %i to %r[0] {elements = 4 : i64} : memref<64xf32, #loop.space<shared>>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @other_type(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves f16 to f32 without converting; load and convert instead}}
  gpu.cluster_load %h[0] of %i to %r[0] {elements = 4 : i64} : memref<64xf16, #loop.space<shared>>, memref<8xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @wide(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves 32 bytes; one instruction moves 4, 8 or 16}}
  gpu.cluster_store %r[0] to %s[0] of %i {elements = 8 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @shared_twice(%x: memref<64xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves from shared to register memory, got memref<64xf32, #loop.space<shared>> and memref<64xf32, #loop.space<shared>>}}
  gpu.cluster_load %s[0] of %i to %s[0] {elements = 4 : i64} : memref<64xf32, #loop.space<shared>>, memref<64xf32, #loop.space<shared>>
  gpu.end
}
