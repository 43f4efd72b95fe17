// RUN: dlc-opt %s --convert-loop-to-gpu --split-input-file --verify-diagnostics

loop.kernel @meets_late(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64, threads = 64 : i64, blocks = 2 : i64, cluster = 2 : i64} {
  loop.barrier over cluster
  // expected-error@below {{the blocks of a cluster meet before their first barrier}}
  loop.meet
  loop.end
}

// -----

loop.kernel @roles_before(%x: memref<256xf32>, %y: memref<256xf32>) attributes {outputs = 1 : i64, threads = 256 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    loop.roles %t threads [128, 128] registers [232, 40] {
    ^bb0(%i: index):
      loop.yield
    }, {
    ^bb0(%i: index):
      loop.yield
    }
    loop.yield
  }
  // expected-error@below {{comes behind roles that have moved registers; let these be the last stage}}
  loop.barrier over block
  loop.end
}
