// RUN: dlc-opt --gpu-vectorize-memory %s | filecheck %s

// The loads of what an await leaves stand behind it: no vector is loaded before the loop.
// CHECK-LABEL: gpu.kernel @waits
// CHECK-NOT:     gpu.copy
// CHECK:         scf.for
// CHECK-NEXT:      gpu.await
// CHECK-NEXT:      loop.load %y[%t, %v]
gpu.kernel @waits(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %zero to %four step %one {
    gpu.await %y[%b, 0] to %r[0] {elements = 4 : i64} : memref<64x4xf32>, memref<4xf32, #loop.space<register>>
    %a = loop.load %y[%t, %v] : memref<64x4xf32> -> f32
    loop.store %a, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
