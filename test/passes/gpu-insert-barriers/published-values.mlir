// RUN: dlc-opt --gpu-insert-barriers %s | filecheck %s

// Publishing and awaiting need no barrier. But an await orders nothing else: what it brings to shared memory does, as
// ever, also where the next step comes round.
// CHECK:      scf.for
// CHECK-NEXT:   gpu.await
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   gpu.copy %r[0] to %row[%t, 0]
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   gpu.copy %row[%t * -1 + 31, 0] to %s[0]
// CHECK-NEXT:   gpu.publish
// CHECK-NOT:    gpu.barrier
// CHECK:      gpu.end
gpu.kernel @steps(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %row = gpu.shared_alloc : memref<32x4xf32, #loop.space<shared>>
  scf.for %v = %zero to %four step %one {
    gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
    gpu.copy %r[0] to %row[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<32x4xf32, #loop.space<shared>>
    gpu.copy %row[31 - %t, 0] to %s[0] {elements = 4 : i64} : memref<32x4xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
    gpu.publish %s[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x4xf32>
  }
  gpu.end
}
