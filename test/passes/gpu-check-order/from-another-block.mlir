// RUN: dlc-opt %s --lower-to-gpu=arch=sm_80 --split-input-file --verify-diagnostics

// The second nest mirrors what the first has written: block 0 reads what the last one writes.
loop.kernel @mirrored(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) attributes {outputs = 2 : i64, threads = 64 : i64} {
  loop.for %b = 0 to 4 kind = parallel map = grid {
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %v = loop.load %x[%b * 64 + %t] : memref<256xf32> -> f32
      loop.store %v, %y[%b * 64 + %t] : f32 -> memref<256xf32>
      loop.yield
    }
    loop.yield
  }
  loop.for %c = 0 to 4 kind = parallel map = grid {
    loop.for %u = 0 to 64 kind = parallel map = thread {
      // expected-error@below {{reads %y, which another block writes in the same launch, and nothing makes it wait}}
      %w = loop.load %y[255 - %c * 64 - %u] : memref<256xf32> -> f32
      loop.store %w, %z[%c * 64 + %u] : f32 -> memref<256xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

// The other way round: the second nest overwrites what other blocks of the first still read.
loop.kernel @overwritten(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<256xf32>) attributes {outputs = 2 : i64, threads = 64 : i64} {
  loop.for %b = 0 to 4 kind = parallel map = grid {
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %v = loop.load %y[(%b + 1) mod 4 * 64 + %t] : memref<256xf32> -> f32
      loop.store %v, %z[%b * 64 + %t] : f32 -> memref<256xf32>
      // expected-error@below {{writes %y, which another block reads in the same launch}}
      loop.store %v, %y[%b * 64 + %t] : f32 -> memref<256xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
