// RUN: dlc-opt %s --gpu-insert-barriers --split-input-file --verify-diagnostics

gpu.kernel @half(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = arith.constant 0.0 : f32
  %n = arith.constant 32 : index
  %p = arith.cmpi slt, %t, %n : index
  scf.if %p {
    loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
    // expected-error@below {{needs a barrier where not all threads of the block pass}}
    %w = loop.load %s[31 - %t] : memref<64xf32, #loop.space<shared>> -> f32
    loop.store %w, %y[%t] : f32 -> memref<64xf32>
  }
  gpu.end
}

// -----

// A loop that all threads of a warp run together still stands where others do not come.
gpu.kernel @a_loop_of_half(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = arith.constant 0.0 : f32
  %n = arith.constant 32 : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p = arith.cmpi slt, %t, %n : index
  scf.if %p {
    scf.for %i = %zero to %one step %one {
      loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
      // expected-error@below {{needs a barrier where not all threads of the block pass}}
      %w = loop.load %s[31 - %t] : memref<64xf32, #loop.space<shared>> -> f32
      loop.store %w, %y[%t] : f32 -> memref<64xf32>
    }
  }
  gpu.end
}
