// RUN: dlc-opt %s --gpu-check-order --split-input-file --verify-diagnostics

// Who awaits a value waits for it, whichever block publishes it.
gpu.kernel @waits(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.publish %s[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x4xf32>
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  gpu.end
}

// -----

gpu.kernel @loads(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.publish %s[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x4xf32>
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  // expected-error@below {{reads %y, which another block writes in the same launch, and nothing makes it wait}}
  %a = loop.load %y[%b, 0] : memref<64x4xf32> -> f32
  gpu.end
}

// -----

gpu.kernel @stores(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  %z = arith.constant 0.0 : f32
  // expected-error@below {{writes %y, which another block reads in the same launch, and nothing makes it wait}}
  loop.store %z, %y[%t, 0] : f32 -> memref<64x4xf32>
  gpu.end
}
