// RUN: %invalid

loop.kernel @counts_in_a_block(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{only a barrier over the grid has a counter and a number}}
  loop.barrier %c over block : memref<1xi32>
  loop.end
}

// -----

loop.kernel @numbers_in_a_cluster(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error@below {{only a barrier over the grid has a counter and a number}}
  loop.barrier over cluster {number = 1 : i64}
  loop.end
}

// -----

loop.kernel @no_counter(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, cooperative} {
  // expected-error@below {{a barrier over the grid has a counter: memref<1xi32>}}
  loop.barrier over grid {number = 1 : i64}
  loop.end
}

// -----

loop.kernel @counter_of_two(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<2xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 8>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{a barrier over the grid has a counter: memref<1xi32>}}
  loop.barrier %c over grid {number = 1 : i64} : memref<2xi32>
  loop.end
}

// -----

loop.kernel @no_number(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{the barriers over the grid have numbers, from 1 on}}
  loop.barrier %c over grid : memref<1xi32>
  loop.end
}

// -----

loop.kernel @number_zero(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{the barriers over the grid have numbers, from 1 on}}
  loop.barrier %c over grid {number = 0 : i64} : memref<1xi32>
  loop.end
}

// -----

loop.kernel @alone(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, filled = array<i64: 2>} {
  // expected-error@below {{its kernel is not cooperative: a block may wait for one that has not begun}}
  loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  loop.end
}

// -----

loop.kernel @not_filled(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 32, 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{the counter does not begin at -1; name it in filled}}
  loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  loop.end
}

// -----

// expected-error@below {{blocks = 0 should be a positive multiple of the cluster's 1}}
loop.kernel @no_blocks(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, blocks = 0 : i64} {
  loop.end
}

// -----

// expected-error@below {{blocks = 6 should be a positive multiple of the cluster's 4}}
loop.kernel @half_a_cluster(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, blocks = 6 : i64, cluster = 4 : i64} {
  loop.end
}

// -----

loop.kernel @in_a_loop(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64, threads = 64 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
    // expected-error@below {{a barrier between stages stands in no loop; end the loops before it}}
    loop.barrier over block
    loop.yield
  }
  loop.end
}

// -----

loop.kernel @starts_at_two(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{is barrier 1 of its counter, and has the number 2}}
  loop.barrier %c over grid {number = 2 : i64} : memref<1xi32>
  loop.end
}

// -----

loop.kernel @stored_over(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %v = arith.constant 7 : i32
  loop.store %v, %c[0] : i32 -> memref<1xi32>
  // expected-error@below {{the counter has other uses: loop.store}}
  loop.barrier %c over grid {number = 1 : i64} : memref<1xi32>
  loop.end
}

// -----

// expected-error@below {{a cooperative kernel has no clusters: no lowering needs both}}
loop.kernel @clusters(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, blocks = 6 : i64, cluster = 2 : i64, cooperative} {
  loop.end
}

// -----

// expected-error@below {{filled = [0] should be numbers of outputs or scratch buffers}}
loop.kernel @filled_input(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, filled = array<i64: 0>} {
  loop.end
}

// -----

// expected-error@below {{filled = [3] should be numbers of outputs or scratch buffers}}
loop.kernel @filled_nothing(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {outputs = 1 : i64, scratch = array<i64: 4>, filled = array<i64: 3>} {
  loop.end
}
