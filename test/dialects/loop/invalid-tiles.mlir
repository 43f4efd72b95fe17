// RUN: %invalid

loop.kernel @accumulator_in_shared_memory(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{an accumulator is rows x columns in registers}}
  %a = loop.zero : memref<8x8xf32, #loop.space<shared>>
  loop.end
}

// -----

loop.kernel @mapping_too_small(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  // expected-error@below {{the task mapping is over [4, 8], the tile has [8, 8]}}
  loop.stage %s map = <spatial(4, 8)> : memref<8x8xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @no_element(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<8x8xf16, #loop.space<shared>>
  // expected-error@below {{the region ends with loop.yield of the element, in f32}}
  loop.stage %s map = <spatial(8, 8)> : memref<8x8xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @which_slot(%x: memref<8x8xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<3x2x8x8xf16, #loop.space<shared>>
  // expected-error@below {{holds tiles along 2 axes, not 0}}
  loop.stage %s map = <spatial(8, 8)> : memref<3x2x8x8xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<8x8xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @drain_without_value(%x: memref<8x8xf32>) attributes {outputs = 1 : i64} {
  %a = loop.zero : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>>
  // expected-error@below {{the region takes a row, a column and an element, of f32}}
  loop.drain %a at [0, 0] within [8, 8] : memref<8x8xf32, #loop.spread<instruction = "fma", map = repeat(8, 8)>, #loop.space<register>> {
  ^bb0(%i: index, %j: index):
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @object_of_threads(%x: memref<16x64xf16>) attributes {outputs = 1 : i64} {
  %b = loop.alloc : memref<2xi64, #loop.space<shared>>
  %s = loop.alloc : memref<16x64xf16, #loop.space<shared>>
  // expected-error@below {{only tensor copies arrive at an object}}
  loop.stage async %s at %b[0] map = <spatial(16, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<16x64xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @object_of_floats(%x: memref<16x64xf16>) attributes {outputs = 1 : i64} {
  %b = loop.alloc : memref<2xf32, #loop.space<shared>>
  %s = loop.alloc : memref<16x64xf16, #loop.space<shared>>
  // expected-error@below {{arrives at an i64 in shared memory, got memref<2xf32, #loop.space<shared>>}}
  loop.stage async tensor %s at %b[0] map = <spatial(16, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>>, memref<2xf32, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<16x64xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}

// -----

loop.kernel @object_without_a_place(%x: memref<16x64xf16>) attributes {outputs = 1 : i64} {
  %b = loop.alloc : memref<2xi64, #loop.space<shared>>
  %s = loop.alloc : memref<16x64xf16, #loop.space<shared>>
  // expected-error@below {{the object's place needs 1 indices}}
  loop.stage async tensor %s at %b[0, 1] map = <spatial(16, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<16x64xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}
