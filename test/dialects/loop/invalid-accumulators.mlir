// RUN: %invalid

loop.kernel @result_of_another_size(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %s = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  %t = loop.alloc : memref<8x16xf16, #loop.space<shared>>
  // expected-error@below {{8 x 8 times 8 x 16 does not give 8 x 8}}
  loop.contract %a, %s, %t : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<8x8xf16, #loop.space<shared>>, memref<8x16xf16, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @parts_of_another_size(%p: memref<4x3x32xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %zero = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<4xi32>
  // expected-error@below {{scratch is tiles x parts x 64 elements}}
  %last = loop.combine_parts %a through %p[%zero, %zero] counters %c : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<4x3x32xf32>, memref<4xi32>
  loop.end
}

// -----

loop.kernel @parts_without_tiles(%p: memref<1x4x3x64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %zero = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<4xi32>
  // expected-error@below {{scratch is tiles x parts x 64 elements}}
  %last = loop.combine_parts %a through %p[%zero, %zero] counters %c : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<1x4x3x64xf32>, memref<4xi32>
  loop.end
}

// -----

loop.kernel @too_few_counters(%p: memref<4x3x64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %zero = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<3xi32>
  // expected-error@below {{4 tiles need a counter each: memref<3xi32>}}
  %last = loop.combine_parts %a through %p[%zero, %zero] counters %c : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<4x3x64xf32>, memref<3xi32>
  loop.end
}

// -----

loop.kernel @drain_of_lines(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{elements start at a row and a column and have a limit for each}}
  loop.drain %a at [0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @drain_with_one_limit(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{elements start at a row and a column and have a limit for each}}
  loop.drain %a at [0, 0] within [8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @drain_with_a_result(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{the region ends with loop.yield of nothing}}
  loop.drain %a at [0, 0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield %v : f32
  }
  loop.end
}

// -----

loop.kernel @parts_that_stay(%x: memref<64xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{parts of the sums meet in an exchange; add exchange}}
  loop.drain %a at [0, 0] within [8, 8] {parts = 2 : i64} : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @parts_without_a_cluster(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{parts = 2 are those of a cluster's blocks, which are 1 here}}
  loop.drain %a at [0, 0] within [8, 8] {exchange, parts = 2 : i64} : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @one_part(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{parts = 1 are those of a cluster's blocks, which are 1 here}}
  loop.drain %a at [0, 0] within [8, 8] {exchange, parts = 1 : i64} : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index, %v: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @held_by_lanes(%x: memref<64xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %h = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  %t = loop.alloc : memref<8x8xf32, #loop.space<shared>>
  // expected-error@below {{fma gives each thread elements of its own; take a matrix instruction}}
  loop.contract %a, %h, %t : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<8x8xf32, #loop.space<shared>>
  loop.end
}
