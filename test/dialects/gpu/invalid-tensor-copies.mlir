// RUN: %invalid

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{a tensor map has 1 to 5 axes, sizes has 6}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [2, 2, 2, 2, 2, 2], strides = [16, 16, 16, 16, 16], box = [1, 1, 1, 1, 1, 8]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{gpu.tensor_map needs box}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{gpu.tensor_map has no fill}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], fill = 1>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{swizzle = [128] should be an integer}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], swizzle = [128]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{strides = 128 should be a list of integers}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = 128, box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{strides has 2 numbers, the 2 axes need 1}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128, 2], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{box has 1 numbers, the 2 axes need 2}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{sizes: 0 should be in 1..4294967296}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 0], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{strides are multiples of 16 bytes, got [120]}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 60], strides = [120], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the box with its element strides: 257 should be in 1..256}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [257, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the box with its element strides: 260 should be in 1..256}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [130, 64], element_strides = [2, 1]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{element_strides: 9 should be in 1..8}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [4, 64], element_strides = [9, 1]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the element stride of the last axis is 1: its elements are neighbours}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [4, 64], element_strides = [1, 2]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{swizzle = 16 should be one of 0, 32, 64, 128 bytes}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], swizzle = 16>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{l2_promotion = 32 should be one of 0, 64, 128, 256 bytes}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], l2_promotion = 32>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the last axis of the box has 8 bytes; they should be a multiple of 16}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 4]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the last axis of the box has 128 bytes, a swizzle of 64 takes no longer rows}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], swizzle = 64>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the tensor map reaches 16384 bytes far, the buffer has 8192}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [128, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the index map of the source has 3 results, the tensor map has 2 axes}}
  gpu.tensor_copy %x[0, 0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{upper_corner needs a lower_corner}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [8, 8], upper_corner = [0]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the corners have a number for each axis between the first and the last, got 1 and 2 for 4 axes}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [2, 4, 8, 64], strides = [4096, 1024, 128], box = [8, 64], lower_corner = [0], upper_corner = [0, 0]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{lower_corner: -129 should be in -128..127}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [2, 4, 8, 64], strides = [4096, 1024, 128], box = [8, 64], lower_corner = [0, -129], upper_corner = [0, 0]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the pixels of the box: 1025 should be in 1..1024}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [2, 4, 8, 64], strides = [4096, 1024, 128], box = [1025, 64], lower_corner = [0, 0], upper_corner = [0, 0]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{there is no pixel between the corners}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [2, 4, 8, 64], strides = [4096, 1024, 128], box = [8, 64], lower_corner = [4, 0], upper_corner = [0, 0]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{tensor maps are of global memory, got memref<64x64xf16, #loop.space<shared>>}}
  gpu.tensor_copy %s[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the tile is in shared memory, got memref<64x64xf16>}}
  gpu.tensor_copy %x[0, 0] to %y[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{mbarrier objects are i64 in shared memory, got memref<64x64xf16, #loop.space<shared>>}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %s[0, 0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %w = gpu.shared_alloc : memref<32x64xf32, #loop.space<shared>>
  // expected-error@below {{moves f16 to f32 without converting; load, convert and store instead}}
  gpu.tensor_copy %x[0, 0] to %w[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<32x64xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{stores boxes; only loads take columns of pixels}}
  gpu.tensor_store %s[0, 0] to %y[0, 0, 0, 0, 0, 0] {map = #gpu.tensor_map<sizes = [1, 8, 8, 64], strides = [8192, 1024, 128], box = [64, 64], lower_corner = [0, 0], upper_corner = [0, 0]>} : memref<64x64xf16, #loop.space<shared>>, memref<64x64xf16>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{outstanding = -1 should be at least 0}}
  gpu.bulk_wait {outstanding = -1 : i64}
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{the last axis begins at byte 20, no multiple of 16}}
  gpu.tensor_copy %x[3, 10] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %f = gpu.shared_alloc : memref<64x32xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{rounded_bits = 16 should be one of 0, 13}}
  gpu.tensor_copy %y[0, 0] to %f[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 32], strides = [128], box = [64, 32], rounded_bits = 16>} : memref<64x32xf32>, memref<64x32xf32, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %f = gpu.shared_alloc : memref<64x32xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{a tensor map rounds f32, got memref<64x64xf16>}}
  gpu.tensor_copy %x[0, 0] to %s[0, 0] at %b[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64], rounded_bits = 13>} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>, memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %f = gpu.shared_alloc : memref<64x32xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{stores elements as they are; only loads round them}}
  gpu.tensor_store %f[0, 0] to %y[0, 0] {map = #gpu.tensor_map<sizes = [64, 32], strides = [128], box = [64, 32], rounded_bits = 13>} : memref<64x32xf32, #loop.space<shared>>, memref<64x32xf32>
  gpu.end
}
