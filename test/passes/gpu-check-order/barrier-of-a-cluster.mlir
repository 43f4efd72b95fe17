// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// Four blocks take rows in rounds; behind the barrier a block reads the row of the other one of its cluster.
gpu.kernel @of_the_cluster(%x: memref<12x32xf32>, %y: memref<12x32xf32>, %s: memref<12x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 2, 1, 1>, outputs = 1 : i64, scratch = array<i64: 1536>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %rows = arith.constant 12 : index
  %blocks = arith.constant 4 : index
  scf.for %i = %b to %rows step %blocks {
    %v = loop.load %x[%i, %t] : memref<12x32xf32> -> f32
    loop.store %v, %s[%i, %t] : f32 -> memref<12x32xf32>
  }
  gpu.cluster_barrier
  scf.for %i = %b to %rows step %blocks {
    %v = loop.load %s[(%i floordiv 2) * 2 + 1 - %i mod 2, %t] : memref<12x32xf32> -> f32
    loop.store %v, %y[%i, %t] : f32 -> memref<12x32xf32>
  }
  gpu.end
}

// -----

// The barrier is before the rows are written.
gpu.kernel @too_early(%x: memref<12x32xf32>, %y: memref<12x32xf32>, %s: memref<12x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 2, 1, 1>, outputs = 1 : i64, scratch = array<i64: 1536>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %rows = arith.constant 12 : index
  %blocks = arith.constant 4 : index
  gpu.cluster_barrier
  scf.for %i = %b to %rows step %blocks {
    %v = loop.load %x[%i, %t] : memref<12x32xf32> -> f32
    loop.store %v, %s[%i, %t] : f32 -> memref<12x32xf32>
  }
  scf.for %i = %b to %rows step %blocks {
    // expected-error@below {{reads %s, which another block writes in the same launch, and nothing makes it wait}}
    %v = loop.load %s[(%i floordiv 2) * 2 + 1 - %i mod 2, %t] : memref<12x32xf32> -> f32
    loop.store %v, %y[%i, %t] : f32 -> memref<12x32xf32>
  }
  gpu.end
}

// -----

gpu.kernel @of_another_cluster(%x: memref<12x32xf32>, %y: memref<12x32xf32>, %s: memref<12x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 2, 1, 1>, outputs = 1 : i64, scratch = array<i64: 1536>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %rows = arith.constant 12 : index
  %blocks = arith.constant 4 : index
  scf.for %i = %b to %rows step %blocks {
    %v = loop.load %x[%i, %t] : memref<12x32xf32> -> f32
    loop.store %v, %s[%i, %t] : f32 -> memref<12x32xf32>
  }
  gpu.cluster_barrier
  scf.for %i = %b to %rows step %blocks {
    // expected-error@below {{reads %s, which another block writes in the same launch, and nothing makes it wait}}
    %v = loop.load %s[(%i + 1) mod 12, %t] : memref<12x32xf32> -> f32
    loop.store %v, %y[%i, %t] : f32 -> memref<12x32xf32>
  }
  gpu.end
}
