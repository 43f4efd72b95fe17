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
