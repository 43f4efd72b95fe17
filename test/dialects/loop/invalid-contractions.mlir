// RUN: %invalid

loop.kernel @depths_differ(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "fma", map = repeat(16, 8)>, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
  %r = loop.alloc : memref<8x32xf16, #loop.space<shared>>
  // expected-error@below {{16 x 16 times 32 x 8 does not give 16 x 8}}
  loop.contract %a, %s, %r transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "fma", map = repeat(16, 8)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x32xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @no_layout(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{how the tile is spread over the threads}}
  %a = loop.zero : memref<16x8xf32, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @no_instruction(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{there is no instruction 'mma.m8n8k4'}}
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m8n8k4", map = repeat(2, 1)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @mapping_of_another_tile(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{2 x 1 instructions of 16 x 8 do not make 16 x 8}}
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(2, 1)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @part_of_an_instruction(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
  %s = loop.alloc : memref<16x8xf16, #loop.space<shared>>
  %r = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  // expected-error@below {{instructions of depth 16 do not make a depth of 8}}
  loop.contract %a, %s, %r : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x8xf16, #loop.space<shared>>, memref<8x8xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @elements_of_another_size(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf32, #loop.space<shared>>
  %r = loop.alloc : memref<16x8xf32, #loop.space<shared>>
  // expected-error@below {{mma.m16n8k16 takes f16 by f16 in f32, bf16 by bf16 in f32; not f32 by f32 in f32}}
  loop.contract %a, %s, %r : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf32, #loop.space<shared>>, memref<16x8xf32, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @too_few_to_interleave(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{interleave = 2 needs as many panels of a warp beside each other; spatial(1, 2) * repeat(1, 3) gives it 3}}
  %a = loop.zero : memref<16x48xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 3), interleave = 2>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @apart_to_interleave(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{gives it 1}}
  %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 2) * spatial(1, 2), interleave = 2>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @too_few_beside_lanes_to_interleave(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{needs as many panels of a warp beside each other; repeat(1, 2) * spatial(8, 4) gives it 2}}
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(1, 2) * spatial(8, 4), interleave = 4>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @columns_in_another_order(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>
  %s = loop.alloc : memref<16x16xf16, #loop.space<shared>>
  %r = loop.alloc : memref<32x16xf16, #loop.space<shared>>
  // expected-error@below {{the rhs has the columns of 1 instructions interleaved, the accumulator those of 4}}
  loop.contract %a, %s, %r transpose_rhs : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<32x16xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @scratch_of_another_tile(%x: memref<8xf32>, %p: memref<4x3x100xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x8xf32, #loop.spread<instruction = "fma", map = repeat(16, 8)>, #loop.space<register>>
  %c = gpu.counter_alloc : memref<4xi32>
  %i = arith.constant 0 : index
  // expected-error@below {{scratch is tiles x parts x 128 elements}}
  %l = loop.combine_parts %a through %p[%i, %i] counters %c : memref<16x8xf32, #loop.spread<instruction = "fma", map = repeat(16, 8)>, #loop.space<register>>, memref<4x3x100xf32>, memref<4xi32>
  loop.end
}

// -----

loop.kernel @async_products_of_warps(%a: memref<16x16xf16, #loop.space<shared>>, %b: memref<8x16xf16, #loop.space<shared>>) attributes {outputs = 1 : i64} {
  %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
  // expected-error@below {{mma.m16n8k16 is done when the threads go on; leave out async}}
  loop.contract async %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @columns_of_no_group(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
  %s = loop.alloc : memref<16x48xf16, #loop.space<shared>>
  %r = loop.alloc : memref<32x16xf16, #loop.space<shared>>
  // expected-error@below {{3 groups do not divide 48 places and 32 columns}}
  loop.contract %a, %s, %r transpose_rhs {groups = 3 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>, memref<16x48xf16, #loop.space<shared>>, memref<32x16xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @the_reduction_of_all_groups(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
  %s = loop.alloc : memref<16x32xf16, #loop.space<shared>>
  %r = loop.alloc : memref<32x32xf16, #loop.space<shared>>
  // expected-error@below {{16 x 16 times 32 x 32 does not give 16 x 32}}
  loop.contract %a, %s, %r transpose_rhs {groups = 2 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<32x32xf16, #loop.space<shared>>
  loop.end
}
