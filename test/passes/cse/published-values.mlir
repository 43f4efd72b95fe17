// RUN: dlc-opt --cse %s | filecheck %s

// The registers may hold something else in between, and each publication is one of its own.
// CHECK:      gpu.await %y[%b, 0] to %r[0]
// CHECK:      gpu.publish %r[0] to %y[%t, 0]
// CHECK:      gpu.await %y[%b, 0] to %r[0]
gpu.kernel @twice(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  gpu.publish %r[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x4xf32>
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  gpu.end
}
