// RUN: dlc-opt --gpu-unroll-rounds %s | filecheck %s

// Rounds in which a thread waits stay a loop.
// CHECK:      scf.for %i = %t to %all
// CHECK-NEXT:   gpu.await
gpu.kernel @rounds(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %all = arith.constant 64 : index
  %threads = arith.constant 32 : index
  scf.for %i = %t to %all step %threads {
    gpu.await %y[%i, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
  } {straight}
  gpu.end
}
