// RUN: dlc-opt %s --lower-to-gpu=arch=sm_80 --split-input-file --verify-diagnostics

// Rows of 96 are not those of 64: block 1 of the second nest begins in the rows of block 0.
loop.kernel @other_tiles(%x: memref<192xf32>, %y: memref<192xf32>, %z: memref<192xf32>) attributes {outputs = 2 : i64, threads = 32 : i64} {
  loop.for %b = 0 to 3 kind = parallel map = grid {
    loop.for %i = 0 to 64 kind = parallel map = thread {
      %v = loop.load %x[%b * 64 + %i] : memref<192xf32> -> f32
      loop.store %v, %y[%b * 64 + %i] : f32 -> memref<192xf32>
      loop.yield
    }
    loop.yield
  }
  loop.for %c = 0 to 2 kind = parallel map = grid {
    loop.for %j = 0 to 96 kind = parallel map = thread {
      // expected-error@below {{reads %y, which another block writes}}
      %w = loop.load %y[%c * 96 + %j] : memref<192xf32> -> f32
      loop.store %w, %z[%c * 96 + %j] : f32 -> memref<192xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// The same tiles, walked in another order of the blocks: none reads what another has written.
loop.kernel @same_tiles(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %z: memref<8x64xf32>) attributes {outputs = 2 : i64, threads = 32 : i64} {
  loop.for %b = 0 to 8 kind = parallel map = grid {
    loop.for %i = 0 to 64 kind = parallel map = thread {
      %v = loop.load %x[%b mod 4 * 2 + %b floordiv 4, %i] : memref<8x64xf32> -> f32
      loop.store %v, %y[%b mod 4 * 2 + %b floordiv 4, %i] : f32 -> memref<8x64xf32>
      loop.yield
    }
    loop.for %j = 0 to 64 kind = parallel map = thread {
      %w = loop.load %y[%b mod 4 * 2 + %b floordiv 4, 63 - %j] : memref<8x64xf32> -> f32
      loop.store %w, %z[%b mod 4 * 2 + %b floordiv 4, %j] : f32 -> memref<8x64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
