// RUN: %invalid

gpu.kernel @wide_rows(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x128xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b lies in rows of 256 bytes; the hardware takes 32, 64, 128}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x128xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @few_rows(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<32x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a takes 64 x 16 elements, which memref<32x64xf16, #loop.space<shared>> has not}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<32x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @odd_rows(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<68x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b lies in 68 rows; should be a multiple of 8, after which the swizzle repeats}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<68x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @one_axis(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b takes 64 x 16, memref<64xf16, #loop.space<shared>> has 1 axes}}
  gpu.wgmma %a[0, 0], %b[0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @groups(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<64xf32, #loop.space<register>>
  // expected-error@below {{b takes 2 x 16 x 64, memref<16x64xf16, #loop.space<shared>> has 2 axes}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n128k16", transpose_b} : memref<64x64xf16, #loop.space<shared>>, memref<16x64xf16, #loop.space<shared>>, memref<64xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @within_the_pattern(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<128x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a starts at index 4; should be a multiple of 8}}
  gpu.wgmma %a[4, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<128x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @within_a_piece(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b starts at index 4; should be a multiple of 8}}
  gpu.wgmma %a[0, 0], %b[0, 4], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}
