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
