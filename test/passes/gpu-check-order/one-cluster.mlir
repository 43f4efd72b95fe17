// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// All blocks are one cluster: behind its barrier each may read what any of them has written, wherever that is.
gpu.kernel @one_cluster(%x: memref<4x32xf32>, %y: memref<4x32xf32>, %s: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 4, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %s[%b, %t] : f32 -> memref<4x32xf32>
  gpu.cluster_barrier
  %w = loop.load %s[3 - %b, %t] : memref<4x32xf32> -> f32
  loop.store %w, %y[%b, %t] : f32 -> memref<4x32xf32>
  gpu.end
}

// -----

// One block orders its own accesses.
gpu.kernel @one_block(%x: memref<32xf32>, %y: memref<32xf32>, %s: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 128>} {
  %t = gpu.thread_id x : index
  %v = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %v, %s[%t] : f32 -> memref<32xf32>
  gpu.barrier
  %w = loop.load %s[31 - %t] : memref<32xf32> -> f32
  loop.store %w, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// -----

// Two clusters do not meet.
gpu.kernel @two_clusters(%x: memref<4x32xf32>, %y: memref<4x32xf32>, %s: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, cluster = array<i64: 2, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %s[%b, %t] : f32 -> memref<4x32xf32>
  gpu.cluster_barrier
  // expected-error@below {{reads %s, which another block writes in the same launch}}
  %w = loop.load %s[3 - %b, %t] : memref<4x32xf32> -> f32
  loop.store %w, %y[%b, %t] : f32 -> memref<4x32xf32>
  gpu.end
}
