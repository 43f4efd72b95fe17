// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// %s and %u share bytes; the object that threads wait for keeps its own, though nobody uses it later.
// CHECK-LABEL: gpu.kernel @phases
// CHECK-SAME:  shared_bytes = 264 : i64
// CHECK:       %b = gpu.shared_alloc {offset = 256 : i64}
// CHECK:       %s = gpu.shared_alloc {offset = 0 : i64}
// CHECK:       %u = gpu.shared_alloc {offset = 0 : i64}
gpu.kernel @phases(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %u = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %v = arith.constant 0.0 : f32
  gpu.mbarrier_arrive %b[0] : memref<1xi64, #loop.space<shared>>
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.barrier
  loop.store %v, %u[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.end
}
