// RUN: %invalid

gpu.kernel @no_swizzle(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc {offset = 0 : i64} : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a lies in rows of 128 bytes, whose swizzle is #gpu.swizzle<3, 4, 3>; the buffer has no swizzle}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @other_swizzle(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x32xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b lies in rows of 64 bytes, whose swizzle is #gpu.swizzle<2, 4, 3>; the buffer has #gpu.swizzle<3, 4, 3>}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x32xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @place(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc {offset = 512 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a is in a buffer at byte 512; should be a multiple of 1024}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @transposed_bytes(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x128xi8, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<128x128xi8, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xi32, #loop.space<register>>
  // expected-error@below {{b is transposed, which works for elements of 16 bits only, not for i8}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k32", transpose_b} : memref<64x128xi8, #loop.space<shared>>, memref<128x128xi8, #loop.space<shared>>, memref<32xi32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @transposed_registers(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a in registers is not transposed}}
  gpu.wgmma %a[0], %b[0, 0], %c[0] {shape = "m64n64k16", transpose_a} : memref<8xf16, #loop.space<register>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @waits(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{outstanding = 8 should be in 0..7}}
  gpu.wgmma_wait {outstanding = 8 : i64}
  gpu.end
}
