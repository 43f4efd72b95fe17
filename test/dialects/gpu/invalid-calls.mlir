// RUN: %invalid

// expected-error@below {{the call leaves out buffer 1, an output}}
gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, call = #loop.call<library = "a", function = "f", buffers = [0], count = 1>} {
  gpu.end
}

// -----

// expected-error@below {{workspace = 128 of a call should be the bytes of the last scratch buffer}}
gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<256xi8>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 256>, call = #loop.call<library = "a", function = "f", buffers = [0, 1], count = 1, workspace = 128>} {
  gpu.end
}
