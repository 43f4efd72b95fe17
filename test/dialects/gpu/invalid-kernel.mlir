// RUN: %invalid

// expected-error@below {{grid = [1, 1] should be three positive sizes, x first}}
gpu.kernel @two_dimensions(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  gpu.end
}

// -----

// expected-error@below {{kernel arguments are memrefs, got f32}}
gpu.kernel @scalar(%x: f32) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  gpu.end
}

// -----

// expected-error@below {{1 buffers cannot hold 2 outputs}}
gpu.kernel @more_outputs_than_buffers(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 2 : i64} {
  gpu.end
}

// -----

// expected-error@below {{a block of 2048 threads; 1024 are the most}}
gpu.kernel @more_threads_than_a_block_has() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1024, 2, 1>, outputs = 0 : i64} {
  gpu.end
}
