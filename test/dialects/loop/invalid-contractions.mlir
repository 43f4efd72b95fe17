// RUN: %invalid

loop.kernel @depths_differ(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
  %r = loop.alloc : memref<8x32xf16, #loop.space<shared>>
  // expected-error@below {{16 x 16 times 32 x 8 does not give 16 x 8}}
  loop.contract %a, %s, %r transpose_rhs instruction = "fma" map = <repeat(16, 8)> : memref<16x8xf32, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x32xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @no_instruction(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
  %r = loop.alloc : memref<16x8xf16, #loop.space<shared>>
  // expected-error@below {{there is no instruction 'mma.m8n8k4'}}
  loop.contract %a, %s, %r instruction = "mma.m8n8k4" map = <repeat(2, 1)> : memref<16x8xf32, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @mapping_of_another_tile(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
  %r = loop.alloc : memref<16x8xf16, #loop.space<shared>>
  // expected-error@below {{2 x 1 instructions of 16 x 8 x 16 do not make 16 x 8 x 16}}
  loop.contract %a, %s, %r instruction = "mma.m16n8k16" map = <repeat(2, 1)> : memref<16x8xf32, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<16x8xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @elements_of_another_size(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf32, #loop.space<shared>>
  %r = loop.alloc : memref<16x8xf32, #loop.space<shared>>
  // expected-error@below {{mma.m16n8k16 takes f16 by f16 in f32, bf16 by bf16 in f32; not f32 by f32 in f32}}
  loop.contract %a, %s, %r instruction = "mma.m16n8k16" map = <repeat(1, 1)> : memref<16x8xf32, #loop.space<register>>, memref<16x16xf32, #loop.space<shared>>, memref<16x8xf32, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @scratch_of_another_tile(%x: memref<8xf32>, %p: memref<4x3x100xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  %c = gpu.counter_alloc : memref<4xi32>
  %i = arith.constant 0 : index
  // expected-error@below {{scratch is tiles x parts x 128 elements}}
  %l = loop.combine_parts %a through %p[%i, %i] counters %c : memref<16x8xf32, #loop.space<register>>, memref<4x3x100xf32>, memref<4xi32>
  loop.end
}
