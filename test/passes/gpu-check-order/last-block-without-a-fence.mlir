// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// Without a fence the others may not see the parts yet when they see the counter.
gpu.kernel @no_fence(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.counter_alloc : memref<1xi32>
  %one = arith.constant 1 : i32
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
  %last = arith.cmpi sge, %old, %one : i32
  scf.if %last {
    // expected-error@below {{reads %parts, which another block writes in the same launch}}
    %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
    loop.store %w, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}

// -----

// A barrier makes the parts visible to this block only.
gpu.kernel @barrier_for_a_fence(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.counter_alloc : memref<1xi32>
  %one = arith.constant 1 : i32
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  gpu.barrier
  %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
  %last = arith.cmpi sge, %old, %one : i32
  scf.if %last {
    // expected-error@below {{reads %parts, which another block writes in the same launch}}
    %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
    loop.store %w, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}
