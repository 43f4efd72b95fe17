// RUN: dlc-opt --gpu-fold-conversions %s | filecheck %s

// The await changes the registers between the load and the store, and others the buffer.
// CHECK-LABEL: gpu.kernel @registers
// CHECK:         loop.load %r[0]
// CHECK-NEXT:    gpu.await %y[%b, 0] to %r[0]
// CHECK-NEXT:    loop.store
gpu.kernel @registers(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %a = loop.load %r[0] : memref<4xf32, #loop.space<register>> -> f32
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  loop.store %a, %s[0] : f32 -> memref<4xf32, #loop.space<register>>
  gpu.end
}

// CHECK-LABEL: gpu.kernel @buffer
// CHECK:         loop.load %y[%t, 0]
// CHECK-NEXT:    gpu.await %y[%b, 0] to %r[0]
// CHECK-NEXT:    loop.store
gpu.kernel @buffer(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %a = loop.load %y[%t, 0] : memref<64x4xf32> -> f32
  gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  loop.store %a, %s[0] : f32 -> memref<4xf32, #loop.space<register>>
  gpu.end
}
