// RUN: %invalid

loop.kernel @threads_for_themselves(%y: memref<8xf32>, %s: memref<2x7x5x12xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{fma gives each thread elements of its own; take a matrix instruction}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>, memref<2x7x5x12xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_room_for_totals(%y: memref<8xf32>, %s: memref<2x7x5x24xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{scratch is tiles x parts x at most 16 rows x 28 elements, not memref<2x7x5x24xf32>}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x24xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @more_rows_than_the_tile(%y: memref<8xf32>, %s: memref<2x7x17x28xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{scratch is tiles x parts x at most 16 rows x 28 elements}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x17x28xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @rows_and_columns_in_one(%y: memref<8xf32>, %s: memref<2x7x140xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{scratch is tiles x parts x at most 16 rows x 28 elements}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x140xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @one_counter(%y: memref<8xf32>, %s: memref<2x7x5x28xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<1xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{2 tiles need a counter each}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<1xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @gives_an_element(%y: memref<8xf32>, %s: memref<2x7x5x28xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{the region ends with loop.yield of nothing}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield %value : f32
  }
  loop.end
}

// -----

loop.kernel @no_column(%y: memref<8xf32>, %s: memref<2x7x5x28xf32>) attributes {outputs = 1 : i64} {
  %n = arith.constant 0 : index
  %c = gpu.counter_alloc : memref<2xi32>
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{elements start at a row and a column and have a limit for each}}
  loop.drain_parts %o through %s[%n, %n] counters %c at [0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}
