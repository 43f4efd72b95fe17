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
