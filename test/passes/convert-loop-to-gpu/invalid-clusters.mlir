// RUN: dlc-opt %s --convert-loop-to-gpu --split-input-file --verify-diagnostics

loop.kernel @not_met(%x: memref<2x64xf32>, %y: memref<2xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    %v = loop.load %x[%b, 0] : memref<2x64xf32> -> f32
    // expected-error@below {{the blocks of a cluster combine before they have met; put a loop.meet before it}}
    %sum = loop.combine %v over cluster : f32 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      loop.yield %s : f32
    }
    loop.store %sum, %y[%b] : f32 -> memref<2xf32>
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @twice(%x: memref<2x64xf32>, %y: memref<2xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.meet
    // expected-error@below {{the blocks of a cluster meet once}}
    loop.meet
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @again(%x: memref<2x64xf32>, %y: memref<2x4xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    loop.meet
    loop.for %i = 0 to 4 kind = parallel map = serial {
      %v = loop.load %x[%b, %i] : memref<2x64xf32> -> f32
      // expected-error@below {{the blocks of a cluster do not combine in a loop}}
      %sum = loop.combine %v over cluster : f32 {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        loop.yield %s : f32
      }
      loop.store %sum, %y[%b, %i] : f32 -> memref<2x4xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @arrives_before(%y: memref<2xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    // expected-error@below {{before they have met; put a loop.meet before it}}
    %o = loop.arrivals : memref<1xi64, #loop.space<shared>>
    loop.yield
  }
  loop.end
}
