// RUN: %invalid

gpu.kernel @alone(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, filled = array<i64: 2>} {
  // expected-error@below {{its kernel is not cooperative: a block may wait for one that has not begun}}
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.end
}

// -----

gpu.kernel @not_filled(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative} {
  // expected-error@below {{the counter does not begin at -1; name it in filled}}
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.end
}

// -----

gpu.kernel @counter_of_floats(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xf32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{the counter is a memref<1xi32>, not memref<1xf32>}}
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xf32>
  gpu.end
}

// -----

gpu.kernel @number_zero(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{number = 0 should be at least 1}}
  gpu.grid_barrier %c[0] {number = 0 : i64} : memref<1xi32>
  gpu.end
}

// -----

gpu.kernel @some_blocks(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %n = arith.constant 4 : index
  %b = gpu.block_id x : index
  %some = arith.cmpi slt, %b, %n : index
  scf.if %some {
    // expected-error@below {{stands in a loop or under a condition; all threads of the launch come to it, once}}
    gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  }
  gpu.end
}

// -----

gpu.kernel @many_times(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %n = arith.constant 4 : index
  scf.for %i = %z to %n step %o {
    // expected-error@below {{stands in a loop or under a condition; all threads of the launch come to it, once}}
    gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  }
  gpu.end
}

// -----

gpu.kernel @starts_at_two(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  // expected-error@below {{is barrier 1 of its counter, and has the number 2}}
  gpu.grid_barrier %c[0] {number = 2 : i64} : memref<1xi32>
  gpu.end
}

// -----

gpu.kernel @one_number_twice(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  // expected-error@below {{is barrier 2 of its counter, and has the number 1}}
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.end
}

// -----

gpu.kernel @stored_over(%x: memref<8xf32>, %y: memref<8xf32>, %c: memref<1xi32>) attributes {grid = array<i64: 6, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %v = arith.constant 7 : i32
  loop.store %v, %c[0] : i32 -> memref<1xi32>
  // expected-error@below {{the counter has other uses: loop.store}}
  gpu.grid_barrier %c[0] {number = 1 : i64} : memref<1xi32>
  gpu.end
}
