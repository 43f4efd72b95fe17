// RUN: %invalid

gpu.kernel @factor_in_shared(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<8xf16, #loop.space<shared>>
  %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // expected-error@below {{a is a fragment in registers, got memref<8xf16, #loop.space<shared>>}}
  gpu.mma %a[0], %b[0], %c[0] {shape = "m16n8k16"} : memref<8xf16, #loop.space<shared>>, memref<4xf16, #loop.space<register>>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @wide_elements(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x8xf64, #loop.space<shared>>
  %a = gpu.register_alloc : memref<4xf64, #loop.space<register>>
  // expected-error@below {{loads elements of 8, 16 or 32 bits}}
  gpu.ldmatrix %s[0, 0] to %a[0] {matrices = 4 : i64} : memref<16x8xf64, #loop.space<shared>>, memref<4xf64, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @matrices_in_global(%x: memref<16x16xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  // expected-error@below {{loads from shared memory, got memref<16x16xf16>}}
  gpu.ldmatrix %x[0, 0] to %a[0] {matrices = 4 : i64} : memref<16x16xf16>, memref<8xf16, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @three_matrices(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x16xf16, #loop.space<shared>>
  %a = gpu.register_alloc : memref<6xf16, #loop.space<register>>
  // expected-error@below {{loads 1, 2 or 4 matrices, not 3}}
  gpu.ldmatrix %s[0, 0] to %a[0] {matrices = 3 : i64} : memref<16x16xf16, #loop.space<shared>>, memref<6xf16, #loop.space<register>>
  gpu.end
}
