// RUN: %invalid

loop.kernel @more_rows_than_the_tile(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{rows = 17 are 1 to 16, those of the tile}}
  loop.drain_in_cluster %o rows 17 at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_rows(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{rows = 0 are 1 to 16}}
  loop.drain_in_cluster %o rows 0 at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @alone(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{stands in a kernel without clusters; give it the key cluster}}
  loop.drain_in_cluster %o rows 5 at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @gives_an_element(%y: memref<8xf32>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
  // expected-error@below {{the region ends with loop.yield of nothing}}
  loop.drain_in_cluster %o rows 5 at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
  ^bb0(%row: index, %column: index, %value: f32):
    loop.yield %value : f32
  }
  loop.end
}
