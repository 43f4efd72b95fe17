// RUN: %invalid

// A phase counts up to 1,048,575 bytes.
#box = #gpu.tensor_map<sizes = [256, 256, 8], strides = [8192, 32], box = [256, 256, 8]>
gpu.kernel @box(%x: memref<256x256x8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<256x256x8xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{moves 2097152 bytes; 1048575 can be awaited}}
  gpu.tensor_copy %x[0, 0, 0] to %s[0, 0, 0] at %b[0] {map = #box} : memref<256x256x8xf32>, memref<256x256x8xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @row(%x: memref<524288xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<524288xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{moves 2097152 bytes; should be a multiple of 16 up to 1048575}}
  gpu.bulk_copy %x[0] to %s[0] at %b[0] {elements = 524288 : i64} : memref<524288xf32>, memref<524288xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

// Two blocks of an SM would wait for each other's registers.
gpu.kernel @two_blocks(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 0 : i64, resident_blocks = 2 : i64} {
  // expected-error@below {{a kernel that moves registers says resident_blocks = 1}}
  gpu.set_registers {count = 240 : i64}
  gpu.end
}

// -----

gpu.kernel @no_matter_how_many(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{a kernel that moves registers says resident_blocks = 1}}
  gpu.set_registers {count = 240 : i64}
  gpu.end
}
