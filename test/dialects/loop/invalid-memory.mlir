// RUN: %invalid

loop.kernel @fill_of_another_type(%x: memref<64xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{the fill should be of type f32, is of f64}}
  %v = loop.load %x[0] guard [0] fill 0.0 : f64 : memref<64xf16> -> f32
  loop.end
}

// -----

loop.kernel @narrow_value(%x: memref<64xf16>) attributes {outputs = 1 : i64} {
  %v = arith.constant 0.0 : f16
  // expected-error@below {{a store to f16 takes f32}}
  loop.store %v, %x[0] : f16 -> memref<64xf16>
  loop.end
}

// -----

// expected-error@below {{threads = 0 should be a positive multiple of 32}}
loop.kernel @no_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64, threads = 0 : i64} {
  loop.end
}

// -----

// expected-error@below {{threads = 48 should be a positive multiple of 32}}
loop.kernel @half_a_warp(%x: memref<8xf32>) attributes {outputs = 1 : i64, threads = 48 : i64} {
  loop.end
}

// -----

// expected-error@below {{a kernel ends with loop.end}}
loop.kernel @no_end(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.yield
}

// -----

loop.kernel @tile_in_global_memory(%x: memref<8x8xf16>, %s: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a staged tile is lines x elements in shared memory}}
  loop.stage %s map = <spatial(8, 8)> : memref<8x8xf16> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @tile_of_one_axis(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<8xf16, #loop.space<shared>>
  // expected-error@below {{a staged tile is lines x elements in shared memory}}
  loop.stage %s map = <spatial(8, 8)> : memref<8xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @element_at_one_index(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  // expected-error@below {{the region takes a line and a place in it}}
  loop.stage %s map = <spatial(8, 8)> : memref<8x8xf16, #loop.space<shared>> {
  ^bb0(%i: index):
    %e = loop.load %x[%i, %i] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @mapping_of_three_axes(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  // expected-error@below {{the task mapping is over [8, 8, 1], the tile has [8, 8]}}
  loop.stage %s map = <spatial(8, 8, 1)> : memref<8x8xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @swizzled_registers(%x: memref<64xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{only a buffer in shared memory is swizzled}}
  %r = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<8x64xf16, #loop.space<register>>
  loop.end
}

// -----

loop.kernel @next_of_no_loop(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = loop.index [3]
  // expected-error@below {{next counts the iterations of a loop.for around it}}
  loop.prefetch %x[%i] next %i : memref<8xf32>
  loop.end
}
