// RUN: %invalid

loop.kernel @half_a_tile(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<16x48xf16, #loop.space<shared>>
  // expected-error@below {{takes all of memref<16x48xf16}}
  %h = loop.load_fragment %s : memref<16x48xf16, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @another_type(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<32x48xf32, #loop.space<shared>>
  // expected-error@below {{takes all of memref<32x48xf32}}
  %h = loop.load_fragment %s : memref<32x48xf32, #loop.space<shared>> -> memref<32x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 6)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @threads_for_themselves(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{fma gives each thread elements of its own; take a matrix instruction}}
  loop.normalize %a : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{elements start at a row and a column and have a limit for each}}
  loop.map_accumulator %a at [0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield %v : f32
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{the region takes a row, a column and an element, of f32}}
  loop.map_accumulator %a at [0, 0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %v: f32):
    loop.yield %v : f32
  }
  loop.end
}

// -----

loop.kernel @k(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{the region ends with loop.yield of the element, in f32}}
  loop.map_accumulator %a at [0, 0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @rows_in_other_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>
  %o = loop.zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{a row of scores and its sums are in the same threads of one group}}
  loop.online_softmax %s at [0] within [16] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @rows_in_two_groups(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(2, 1)>, #loop.space<register>>
  // expected-error@below {{a row of scores and its sums are in the same threads of one group}}
  loop.online_softmax %s at [0] within [16] for %s : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(2, 1)>, #loop.space<register>>, memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(2, 1)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @two_columns(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
  %o = loop.zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{scores have a first column, perhaps a last one, and a limit}}
  loop.online_softmax %s at [0, 0, 0] within [16] for %o : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @lhs_in_other_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %l = loop.zero : memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>
  %r = loop.alloc : memref<16x24xf16, #loop.space<shared>>
  %o = loop.zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{a lhs in registers lies as the rows of the accumulator}}
  loop.contract %o, %l, %r : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>, memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>, memref<16x24xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @negative(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
  %o = loop.zero : memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{scale = -1.0 should be a positive number}}
  loop.online_softmax %s at [0] within [16] for %o {scale = -1.0 : f32} : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 3)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @rounded_in_other_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %s = loop.zero : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>
  %w = loop.zero : memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>
  // expected-error@below {{does not lie as memref<32x16xf16}}
  loop.round_fragment %s to %w : memref<32x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 1) * repeat(1, 2)>, #loop.space<register>>, memref<32x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(2, 2)>, #loop.space<register>>
  loop.end
}
