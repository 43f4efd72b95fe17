// RUN: dlc-opt %s --convert-loop-to-gpu --split-input-file --verify-diagnostics

loop.kernel @cpu_loop(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  %v = arith.constant 0.0 : f32
  // expected-error@below {{a loop over cores is for a CPU; schedule the group with threads}}
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.store %v, %y[%i] : f32 -> memref<8xf32>
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @some_threads_combine(%y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 40 kind = parallel map = thread {
    %v = arith.constant 0.0 : f32
    // expected-error@below {{a combination over a block is inside a loop of 40 iterations over the thread numbers 0 to 63, which not all of them reach}}
    %s = loop.combine %v over block : f32 {
    ^bb0(%l: f32, %r: f32):
      loop.yield %l : f32
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @threads_in_threads(%y: memref<64x32xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  %v = arith.constant 0.0 : f32
  loop.for %i = 0 to 64 kind = parallel map = thread attributes {team = 1 : i64} {
    // expected-error@below {{the loops over thread are nested in loops that have used all of them}}
    loop.for %j = 0 to 32 kind = parallel map = thread {
      loop.store %v, %y[%i, %j] : f32 -> memref<64x32xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @other_threads(%y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  // expected-error@below {{8 teams of 4 threads are not the 64 threads of a block}}
  loop.for %i = 0 to 8 kind = parallel map = thread attributes {team = 4 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @uneven_teams(%y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 96 : i64} {
  // expected-error@below {{teams of 12 threads among 8 do not fit warps of 32; take powers of two, or multiples of a warp}}
  loop.for %i = 0 to 8 kind = parallel map = thread attributes {team = 12 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @no_team(%y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  %v = arith.constant 0.0 : f32
  // expected-error@below {{is in no loop with teams}}
  %s = loop.combine %v over team : f32 {
  ^bb0(%l: f32, %r: f32):
    loop.yield %l : f32
  }
  loop.end
}

// -----

func.func @no_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{graph.relu is in no group; run --fuse before this pass}}
  %y = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{fused_group.group is no kernel yet; run --lower-to-loop before this pass}}
  %y = fused_group.group @g(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    fused_group.yield %a : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// -----

loop.kernel @tiles(%y: memref<64x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 64 kind = parallel map = thread {
    // expected-error@below {{is for all threads together; give each its part with loop-assign-stages and loop-select-instruction first}}
    %a = loop.zero : memref<64x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 2)>, #loop.space<register>>
    loop.yield
  }
  loop.end
}

// -----

// expected-error@below {{needs 2048 threads per block, the chip has 1024; use fewer warps}}
loop.kernel @more_threads_than_a_block_has(%y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 2048 : i64} {
  loop.end
}
