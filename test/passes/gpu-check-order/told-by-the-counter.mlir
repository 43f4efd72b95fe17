// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// One thread asks the counter, and tells the others of its block through shared memory.
gpu.kernel @through_shared_memory(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.counter_alloc : memref<1xi32>
  %told = gpu.shared_alloc : memref<1xi32, #loop.space<shared>>
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : index
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  gpu.fence
  gpu.barrier
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
    loop.store %old, %told[0] : i32 -> memref<1xi32, #loop.space<shared>>
  }
  gpu.barrier
  %before = loop.load %told[0] : memref<1xi32, #loop.space<shared>> -> i32
  %last = arith.cmpi eq, %before, %three : i32
  scf.if %last {
    %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
    loop.store %w, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}

// -----

// The counter is asked, but other data decide who reads.
gpu.kernel @by_other_data(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.counter_alloc : memref<1xi32>
  %told = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  loop.store %v, %told[%t] : f32 -> memref<32xf32, #loop.space<shared>>
  gpu.fence
  %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32> -> i32
  %u = loop.load %told[%t] : memref<32xf32, #loop.space<shared>> -> f32
  %positive = arith.cmpf ogt, %u, %none : f32
  scf.if %positive {
    // expected-error@below {{reads %parts, which another block writes in the same launch}}
    %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
    loop.store %w, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}
