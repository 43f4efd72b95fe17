// RUN: %invalid

// expected-error@below {{block = [64, 0, 1] should be three positive sizes, x first}}
gpu.kernel @empty_block() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 0, 1>, outputs = 0 : i64} {
  gpu.end
}

// -----

// expected-error@below {{resident_blocks should be positive}}
gpu.kernel @none() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 0 : i64, resident_blocks = 0 : i64} {
  gpu.end
}

// -----

gpu.kernel @wide_copy(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{moves 32 bytes; one instruction moves 1, 2, 4, 8 or 16}}
  gpu.copy %x[0] to %y[0] {elements = 8 : i64} : memref<64xf32>, memref<64xf32>
  gpu.end
}

// -----

gpu.kernel @converting_copy(%x: memref<64xf32>, %y: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{moves f32 to f16 without converting; use loop.load and loop.store}}
  gpu.copy %x[0] to %y[0] {elements = 4 : i64} : memref<64xf32>, memref<64xf16>
  gpu.end
}

// -----

gpu.kernel @async_to_global(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{moves from global to shared memory, got}}
  gpu.cp_async %x[0] to %y[0] {bytes = 16 : i64} : memref<64xf32>, memref<64xf32>
  gpu.end
}

// -----

gpu.kernel @rank_mismatch(%x: memref<64xf32>, %y: memref<8x8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{has 1 results, the buffer has 2 axes}}
  gpu.copy %x[0] to %y[0] {elements = 4 : i64} : memref<64xf32>, memref<8x8xf32>
  gpu.end
}

// -----

gpu.kernel @small_fragment(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = gpu.register_alloc : memref<6xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // expected-error@below {{a has 8 elements per lane; the last axis of memref<6xf16, #loop.space<register>> should be a multiple of it}}
  gpu.mma %a[0], %a[0], %c[0] {shape = "m16n8k16"} : memref<6xf16, #loop.space<register>>, memref<6xf16, #loop.space<register>>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @mixed_factors(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // expected-error@below {{mma.m16n8k32 takes i8 by i8 in i32}}
  gpu.mma %a[0], %a[0], %c[0] {shape = "m16n8k32"} : memref<8xf16, #loop.space<register>>, memref<8xf16, #loop.space<register>>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @transposed_words(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %s = gpu.shared_alloc : memref<16x8xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // expected-error@below {{transposes elements of 16 bits only}}
  gpu.ldmatrix %s[0, 0] to %a[0] {matrices = 4 : i64, transpose} : memref<16x8xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @far_lane(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %v = loop.load %x[0] : memref<1xf32> -> f32
  // expected-error@below {{offset 32 should be in 0..31}}
  %w = gpu.shuffle down %v, 32 : f32
  gpu.end
}

// -----

gpu.kernel @shared_in_global(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{a shared buffer has the type memref<.., #loop.space<shared>>}}
  %s = gpu.shared_alloc : memref<16x8xf32>
  gpu.end
}

// -----

gpu.kernel @float_counters(%x: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  // expected-error@below {{counters have the type memref<..xi32>}}
  %c = gpu.counter_alloc : memref<4xf32>
  gpu.end
}

// -----

gpu.kernel @unrolled_branch(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %yes = arith.constant true
  // expected-error@below {{scf.if: unroll is for scf.for only}}
  scf.if %yes {
  } {unroll}
  gpu.end
}

// -----

gpu.kernel @unrolled_by_four(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = arith.constant 0 : index
  %b = arith.constant 4 : index
  %c = arith.constant 1 : index
  // expected-error@below {{scf.for: unroll has no value}}
  scf.for %i = %a to %b step %c {
  } {unroll = 4 : i64}
  gpu.end
}

// -----

// expected-error@below {{gpu.kernel: there is no attribute shared}}
gpu.kernel @misspelt(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared = 64 : i64} {
  gpu.end
}

// -----

// expected-error@below {{1 buffers cannot hold -1 outputs}}
gpu.kernel @fewer_than_no_output(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = -1 : i64} {
  gpu.end
}
