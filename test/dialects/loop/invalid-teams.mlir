// RUN: %invalid

loop.kernel @blocks_have_no_teams(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{a loop over grid has no teams; one over threads has}}
  loop.for %k = 0 to 8 kind = parallel map = grid attributes {team = 2 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @nobody_in_a_team(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{team = 0 should be at least 1}}
  loop.for %k = 0 to 8 kind = parallel map = thread attributes {team = 0 : i64} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @apart_without_a_team(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{apart says how the threads of a team lie, and there is no team}}
  loop.for %k = 0 to 8 kind = parallel map = thread attributes {apart} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @straight_without_threads(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{straight is for a loop over threads, not over serial}}
  loop.for %k = 0 to 8 kind = parallel map = serial attributes {straight} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @backward_without_cores(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{backward is for a parallel loop over cores, from 0 in steps of 1}}
  loop.for %k = 0 to 8 kind = parallel map = serial attributes {backward} {
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @backward_in_steps(%x: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{backward is for a parallel loop over cores, from 0 in steps of 1}}
  loop.for %k = 0 to 8 step 2 kind = parallel map = cores attributes {backward} {
    loop.yield
  }
  loop.end
}
