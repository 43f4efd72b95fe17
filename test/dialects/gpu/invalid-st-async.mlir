// RUN: %invalid

gpu.kernel @other_type(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves f32 to f16 without converting; convert before}}
  gpu.st_async %r[0] to %h[0] at %o[0] of %i {elements = 4 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @wide(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves 32 bytes; one instruction moves 4, 8 or 16}}
  gpu.st_async %r[0] to %s[0] at %o[0] of %i {elements = 8 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @no_object(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{mbarrier objects are i64 in shared memory, got memref<64xf32, #loop.space<shared>>}}
  gpu.st_async %r[0] to %s[0] at %s[1] of %i {elements = 4 : i64} : memref<8xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>, memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @from_shared(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{moves from register to shared memory, got memref<64xf32, #loop.space<shared>> and memref<64xf32, #loop.space<shared>>}}
  gpu.st_async %s[0] to %s[4] at %o[0] of %i {elements = 4 : i64} : memref<64xf32, #loop.space<shared>>, memref<64xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @never_told(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{one gpu.cluster_arrive comes before it, for all that wait}}
  gpu.cluster_wait
  gpu.end
}

// -----

gpu.kernel @late(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  %i = arith.constant 0 : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %h = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %o = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %v = loop.load %x[0] : memref<8xf32> -> f32
  // expected-error@below {{nothing but mbarrier objects is touched before it}}
  gpu.cluster_arrive
  gpu.end
}

// -----

gpu.kernel @waits_twice(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 4, 1, 1>} {
  gpu.cluster_arrive
  gpu.cluster_wait
  // expected-error@below {{each thread waits once}}
  gpu.cluster_wait
  gpu.end
}

// -----

gpu.kernel @alone(%x: memref<8xf32>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{stands in a kernel without clusters; give it the key cluster}}
  gpu.cluster_arrive
  gpu.end
}
