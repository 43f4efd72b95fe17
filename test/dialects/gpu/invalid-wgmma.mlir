// RUN: %invalid

gpu.kernel @no_such_width(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{there is no instruction 'wgmma.m64n60k16'}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n60k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @types(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xbf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{wgmma.m64n64k16 takes f16 by f16 in f32, bf16 by bf16 in f32; not f16 by bf16 in f32}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xbf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @factor_in_global(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a is a tile in shared memory, got memref<64x64xf16>}}
  gpu.wgmma %x[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @columns_in_registers(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{b is a tile in shared memory, got memref<8xf16, #loop.space<register>>}}
  gpu.wgmma %a[0, 0], %b[0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @fragment_of_a(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  // expected-error@below {{a has 8 elements per lane; the last axis of memref<4xf16, #loop.space<register>> should be a multiple of it}}
  gpu.wgmma %a[0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<4xf16, #loop.space<register>>, memref<64x64xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @sums(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<16xf32, #loop.space<register>>
  // expected-error@below {{c has 32 elements per lane; the last axis of memref<16xf32, #loop.space<register>> should be a multiple of it}}
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<16xf32, #loop.space<register>>
  gpu.end
}
