// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// A counter in shared memory says nothing of other blocks.
gpu.kernel @own_counter(%x: memref<4x32xf32>, %y: memref<32xf32>, %parts: memref<4x32xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %arrived = gpu.shared_alloc : memref<1xi32, #loop.space<shared>>
  %one = arith.constant 1 : i32
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %v, %parts[%b, %t] : f32 -> memref<4x32xf32>
  gpu.fence
  %old = gpu.atomic_add %one, %arrived[0] : i32, memref<1xi32, #loop.space<shared>> -> i32
  %last = arith.cmpi sge, %old, %one : i32
  scf.if %last {
    // expected-error@below {{reads %parts, which another block writes in the same launch}}
    %w = loop.load %parts[3, %t] : memref<4x32xf32> -> f32
    loop.store %w, %y[%t] : f32 -> memref<32xf32>
  }
  gpu.end
}

// -----

// Additions of all blocks to one element are one after the other, and nobody reads it. A module may
// hold more than kernels.
gpu.kernel @additions(%x: memref<4x32xf32>, %y: memref<1xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %v = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  %old = gpu.atomic_add %v, %y[0] : f32, memref<1xf32> -> f32
  %again = gpu.atomic_add %v, %y[0] : f32, memref<1xf32> -> f32
  gpu.end
}
func.func @main() {
  func.return
}
