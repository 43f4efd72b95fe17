// RUN: %invalid

loop.kernel @of_threads(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{teams = 2 are of warps; fma is not done by one}}
  %o = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8), teams = 2>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @normalized(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
  // expected-error@below {{2 teams have a part of each sum}}
  loop.normalize %o : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @drained(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
  // expected-error@below {{2 teams have a part of each sum}}
  loop.drain %o at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>> {
  ^bb0(%r: index, %c: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @added_up(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<1xi32>
  %s = loop.alloc : memref<1x2x384xf32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
  // expected-error@below {{2 teams have a part of each sum}}
  %l = loop.combine_parts %o through %s[%n, %n] counters %c : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>, memref<1x2x384xf32>, memref<1xi32>
  loop.end
}

// -----

loop.kernel @of_shared_factors(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
  %a = loop.alloc : memref<16x32xf16, #loop.space<shared>>
  %b = loop.alloc : memref<32x24xf16, #loop.space<shared>>
  // expected-error@below {{2 teams have a part of each sum}}
  loop.contract %o, %a, %b : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<32x24xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @sums_without_teams(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %x = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{a row of scores and its sums are in the same threads of one group}}
  loop.online_softmax %x at [0] within [31] for %o : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @more_teams_than_columns(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %x = loop.zero : memref<16x32xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 3>, #loop.space<register>>
  %b = loop.alloc : memref<32x24xf16, #loop.space<shared>>
  // expected-error@below {{what lies beside each other in one, 2 and 1 groups, are teams of the other, 3 and 1}}
  loop.contract %o, %x, %b : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 3>, #loop.space<register>>, memref<16x32xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @a_lhs_of_one(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %x = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>
  %q = loop.zero : memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6)>, #loop.space<register>>
  %b = loop.alloc : memref<32x48xf16, #loop.space<shared>>
  // expected-error@below {{what lies beside each other in one, 1 and 2 groups, are teams of the other, 1 and 1}}
  loop.contract %x, %q, %b transpose_rhs : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6)>, #loop.space<register>>, memref<32x48xf16, #loop.space<shared>>
  loop.end
}
