// RUN: dlc-opt %s --loop-assign-roles --split-input-file --verify-diagnostics

loop.kernel @other_work(%x: memref<9xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %z = arith.constant 0.0 : f32
    // expected-error@below {{a pipeline of 2 needs slices 0, 1, 2 .. that are staged and contracted, and nothing else in the loop}}
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
      loop.store %z, %x[%k] : f32 -> memref<9xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_threads(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{is in no loop over threads}}
  loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @two(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  // expected-error@below {{has two loops with producers; bring the slices of one of them with all threads}}
  loop.for %t = 0 to 32 kind = parallel map = thread {
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
      loop.yield
    }
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @on_a_condition(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %true = arith.constant true
    scf.if %true {
      // expected-error@below {{a loop with producers stands in the loop over threads, or there in one loop over tiles, scf.for from below its step on}}
      loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
        loop.yield
      }
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @from_anywhere(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 9 kind = parallel map = grid {
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %tiles = arith.constant 20 : index
      %step = arith.constant 8 : index
      scf.for %tile = %b to %tiles step %step {
        // expected-error@below {{a loop with producers stands in the loop over threads, or there in one loop over tiles, scf.for from below its step on}}
        loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
          loop.yield
        }
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @tile_used_later(%x: memref<16x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 4 : i64} {
      // expected-error@below {{the tile of a pipelined stage is a buffer of its own, used in the loop only}}
      loop.stage %s map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%i, %j] : memref<16x32xf32> -> f32
        loop.yield %e : f32
      }
      loop.yield
    }
    %v = loop.load %s[0, 0] : memref<16x32xf32, #loop.space<shared>> -> f32
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @turns_in_nothing(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    // expected-error@below {{teams take turns in tiles; there is no loop over tiles}}
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64, turns = 2 : i64} {
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @nothing_to_bring(%x: memref<16x144xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    // expected-error@below {{has producers and nothing to bring}}
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @staged_by_threads(%x: memref<64x16xf16>, %w: memref<48x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %qs = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    // expected-error@below {{a tile that is staged before a loop with producers comes by tensor copies: it must be a box of a tensor in memory}}
    loop.stage %qs map = <repeat(1, 1) * spatial(64, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<64x16xf16> -> f32
      loop.yield %e : f32
    }
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    loop.for %k = 0 to 3 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
      loop.stage tensor %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<48x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %qs, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [48] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.normalize %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    loop.yield
  }
  
  loop.end
}

// -----

// The products are not rescaled.
loop.kernel @staggered_without_a_softmax(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 2 : i64, staggered, producers = 1 : i64} {
      loop.stage tensor %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
