// RUN: dlc-opt %s --loop-pipeline-stages --split-input-file --verify-diagnostics

loop.kernel @other_work(%x: memref<9xf32>) attributes {outputs = 1 : i64} {
  %z = arith.constant 0.0 : f32
  // expected-error@below {{a pipeline of 2 needs slices 0, 1, 2 .. that are staged and contracted, and nothing else in the loop}}
  loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
    loop.store %z, %x[%k] : f32 -> memref<9xf32>
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @other_slices(%x: memref<9xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a pipeline of 2 needs slices 0, 1, 2 ..}}
  loop.for %k = 0 to 9 step 3 kind = reduction map = serial attributes {pipeline = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @tile_used_later(%x: memref<16x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
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

loop.kernel @slices_from_one(%x: memref<9xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a pipeline of 2 needs slices 0, 1, 2 ..}}
  loop.for %k = 1 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @in_another_loop(%x: memref<16x576xf16>, %w: memref<8x576xf16>, %y: memref<16x8xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>
    loop.for %n = 0 to 3 kind = reduction map = serial {
      %a = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x64xf16, #loop.space<shared>>
      %b = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<8x64xf16, #loop.space<shared>>
      // expected-error@below {{a pipeline of tensor copies stands in the loop over threads, not in another loop: the phases of its slots are counted once}}
      loop.for %k = 0 to 9 kind = reduction map = serial attributes {pipeline = 2 : i64} {
        loop.stage tensor %a map = <repeat(4, 1) * spatial(4, 8) * repeat(1, 8)> : memref<16x64xf16, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %e = loop.load %x[%i, %k * 64 + %j] : memref<16x576xf16> -> f32
          loop.yield %e : f32
        }
        loop.stage tensor %b map = <repeat(2, 1) * spatial(4, 8) * repeat(1, 8)> : memref<8x64xf16, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %e = loop.load %w[%i, %k * 64 + %j] : memref<8x576xf16> -> f32
          loop.yield %e : f32
        }
        loop.contract %acc, %a, %b transpose_rhs : memref<16x8xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 1)>, #loop.space<register>>, memref<16x64xf16, #loop.space<shared>>, memref<8x64xf16, #loop.space<shared>>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// Nothing is done with a slice.
loop.kernel @staggered_without_products(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }

      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// A slice ends with its softmax.
loop.kernel @staggered_without_a_last_product(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [77] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// Products of warps are not under way.
loop.kernel @staggered_by_warps(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [77] for %o : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(4, 1) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// The lhs of the last product is no product of the slice.
loop.kernel @staggered_without_a_first_product(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.online_softmax %s at [%k * 16] within [77] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// The lhs of the last product is something else than the first one.
loop.kernel @staggered_with_another_lhs(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [77] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %q, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
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
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
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

// -----

// The softmax rescales other sums than those of the last product.
loop.kernel @staggered_with_another_softmax(%x: memref<64x16xf16>, %w: memref<80x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %q = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %p = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
    // expected-error@below {{is staggered: its slices need a product, a softmax of its sums, and a product with these as lhs, by an asynchronous instruction}}
    loop.for %k = 0 to 5 kind = reduction map = serial attributes {pipeline = 3 : i64, staggered} {
      loop.stage %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %w[%k * 16 + %i, %j] : memref<80x16xf16> -> f32
        loop.yield %e : f32
      }
      %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %s, %q, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
      loop.online_softmax %s at [%k * 16] within [77] for %p : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
