// RUN: dlc-opt %s --loop-assign-stages --split-input-file --verify-diagnostics

loop.kernel @more_workers_than_threads(%x: memref<32x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 64 kind = parallel map = thread {
    %s = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    // expected-error@below {{the task mapping has 128 workers, the block 64 threads}}
    loop.stage %s map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<32x32xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_threads(%x: memref<32x32xf16>) attributes {outputs = 1 : i64} {
  %s = loop.alloc : memref<32x32xf16, #loop.space<shared>>
  // expected-error@below {{loop.stage is in no loop over threads}}
  loop.stage %s map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
  ^bb0(%i: index, %j: index):
    %e = loop.load %x[%i, %j] : memref<32x32xf16> -> f32
    loop.yield %e : f32
  }
  loop.end
}
