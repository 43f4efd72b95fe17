// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// All blocks had begun where the wait is over, which says nothing of what threads have done since.
gpu.kernel @k(%x: memref<64xf32>) attributes {grid = array<i64: 2, 1, 1>, cluster = array<i64: 2, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = arith.constant 1.0 : f32
  gpu.cluster_arrive
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.cluster_wait
  %w = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  loop.store %w, %x[%t] : f32 -> memref<64xf32>
  gpu.end
}
// CHECK:      gpu.cluster_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load
