// RUN: %invalid

// expected-error@below {{constant_inputs = [1] should be numbers of the 1 inputs}}
gpu.kernel @output(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 1>} {
  gpu.end
}

// -----

// expected-error@below {{dependents is for a kernel that waits itself: one with constant_inputs}}
gpu.kernel @soon() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, dependents} {
  gpu.end
}

// -----

gpu.kernel @after() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{its kernel has no constant_inputs: it begins when the launches before it have ended}}
  gpu.griddepcontrol_wait
  gpu.end
}

// -----

gpu.kernel @column(%x: memref<1x8x8x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{brings boxes; columns of pixels are only copied}}
  gpu.prefetch_tensor %x[0, 0, 0, 0, 0, 0] {map = #gpu.tensor_map<sizes = [1, 8, 8, 64], strides = [8192, 1024, 128], box = [64, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>} : memref<1x8x8x64xf16>
  gpu.end
}

// -----

gpu.kernel @shared() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 8192 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<64x64xf16, #loop.space<shared>>
  // expected-error@below {{tensor maps are of global memory}}
  gpu.prefetch_tensor %s[0, 0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [64, 64]>} : memref<64x64xf16, #loop.space<shared>>
  gpu.end
}
