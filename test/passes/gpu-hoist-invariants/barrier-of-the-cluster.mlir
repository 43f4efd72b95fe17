// RUN: dlc-opt --gpu-hoist-invariants %s | filecheck %s

// What others store is loaded behind the barrier, in each iteration; an input may be loaded before it.
// CHECK:     loop.load %x[%t, 0]
// CHECK:     scf.for
// CHECK-NEXT:  gpu.cluster_barrier
// CHECK-NEXT:  loop.load %y[%t, 0]
gpu.kernel @k(%x: memref<64x4xf32>, %y: memref<64x4xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, cluster = array<i64: 2, 1, 1>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %s = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %zero to %four step %one {
    gpu.cluster_barrier
    %a = loop.load %y[%t, 0] : memref<64x4xf32> -> f32
    %b = loop.load %x[%t, 0] : memref<64x4xf32> -> f32
    %d = arith.addf %a, %b : f32
    loop.store %d, %s[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
