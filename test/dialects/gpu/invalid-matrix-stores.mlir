// RUN: %invalid

gpu.kernel @wide_elements(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x8xf64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf64, #loop.space<register>>
  // expected-error@below {{stores elements of 8, 16 or 32 bits}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64} : memref<4xf64, #loop.space<register>>, memref<16x8xf64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @other_type(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  // expected-error@below {{moves f32 to f16 without converting; convert first}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64} : memref<8xf32, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @to_registers(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.register_alloc : memref<16x64xf16, #loop.space<register>>
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  // expected-error@below {{stores to shared memory, got memref<16x64xf16, #loop.space<register>>}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64} : memref<8xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @three(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<6xf16, #loop.space<register>>
  // expected-error@below {{stores 1, 2 or 4 matrices, not 3}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 3 : i64} : memref<6xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @words(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x8xf32, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // expected-error@below {{transposes elements of 16 bits only}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64, transpose} : memref<4xf32, #loop.space<register>>, memref<16x8xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @from_shared(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.shared_alloc : memref<8xf16, #loop.space<shared>>
  // expected-error@below {{the source is a fragment in registers, got memref<8xf16, #loop.space<shared>>}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64} : memref<8xf16, #loop.space<shared>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @few(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  // expected-error@below {{the source has 8 elements per lane; the last axis of memref<4xf16, #loop.space<register>> should be a multiple of it}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 4 : i64} : memref<4xf16, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>
  gpu.end
}
