// RUN: dlc-opt %s --loop-pipeline-stages --split-input-file --verify-diagnostics

loop.kernel @other_work(%x: memref<9xf32>) attributes {outputs = 1 : i64} {
  %z = arith.constant 0.0 : f32
  // expected-error@below {{a pipeline of 2 needs slices 0, 1, 2 .. that are staged and contracted, and nothing else in the loop}}
  loop.for %k = 0 to 9 kind = sequential map = serial attributes {pipeline = 2 : i64} {
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
