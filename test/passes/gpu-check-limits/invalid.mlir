// RUN: dlc-opt %s --gpu-check-limits=arch=sm_80 --split-input-file --verify-diagnostics

// expected-error@below {{needs 200000 bytes of shared memory, sm_80 has 166912 per block; lower stages or tile}}
gpu.kernel @shared() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 200000 : i64} {
  gpu.end
}

// -----

// expected-error@below {{needs at least 272 registers per thread, sm_80 has 255 with 32 threads; lower the tile or take more warps}}
gpu.kernel @registers() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %r = gpu.register_alloc : memref<16x16xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @fits() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 0 : i64, shared_bytes = 166912 : i64} {
  %r = gpu.register_alloc : memref<16x8xf32, #loop.space<register>>
  gpu.end
}

// -----

// The first buffer is not needed any more where the second one is used.
gpu.kernel @in_turns(%x: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 0 : i64} {
  %r = gpu.register_alloc : memref<16x8xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<16x8xf32, #loop.space<register>>
  %a = loop.load %x[0] : memref<128xf32> -> f32
  loop.store %a, %r[0, 0] : f32 -> memref<16x8xf32, #loop.space<register>>
  loop.store %a, %s[0, 0] : f32 -> memref<16x8xf32, #loop.space<register>>
  gpu.end
}

// -----

// A loop may need what a round before has left there.
// expected-error@below {{needs at least 272 registers per thread, sm_80 has 255 with 32 threads; lower the tile or take more warps}}
gpu.kernel @in_a_loop(%x: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<16x8xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<16x8xf32, #loop.space<register>>
  scf.for %i = %zero to %four step %one {
    %a = loop.load %x[0] : memref<128xf32> -> f32
    loop.store %a, %r[0, 0] : f32 -> memref<16x8xf32, #loop.space<register>>
    loop.store %a, %s[0, 0] : f32 -> memref<16x8xf32, #loop.space<register>>
  }
  gpu.end
}

// -----

// expected-error@below {{needs at least 80 registers per thread, sm_80 has 64 with 1024 threads; lower the tile or take more warps}}
gpu.kernel @of_many_threads() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1024, 1, 1>, outputs = 0 : i64} {
  %r = gpu.register_alloc : memref<16x4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @fits_with_many_threads() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1024, 1, 1>, outputs = 0 : i64} {
  %r = gpu.register_alloc : memref<16x3xf32, #loop.space<register>>
  gpu.end
}
