// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// %a is done with before the barriers, and %b begins behind them, but another block of the cluster may send
// to %b while this one still reads %a: no bytes are shared.
gpu.kernel @sends(%x: memref<64xf32>) attributes {grid = array<i64: 2, 1, 1>, cluster = array<i64: 2, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %rank = gpu.cluster_rank : index
  %v = arith.constant 0.0 : f32
  %a = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %r = gpu.register_alloc : memref<1xf32, #loop.space<register>>
  loop.store %v, %a[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  loop.store %v, %r[0] : f32 -> memref<1xf32, #loop.space<register>>
  gpu.cluster_barrier
  gpu.barrier
  gpu.cluster_store %r[0] to %b[%t] of %rank {elements = 1 : i64} : memref<1xf32, #loop.space<register>>, memref<64xf32, #loop.space<shared>>
  gpu.cluster_barrier
  gpu.end
}
// CHECK:      shared_bytes = 512 : i64
