// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// The larger buffer is placed first, though it is used later.
// CHECK-LABEL: gpu.kernel @small_before_large
// CHECK-SAME:  shared_bytes = 256 : i64
// CHECK:       %small = gpu.shared_alloc {offset = 0 : i64}
// CHECK-NEXT:  %large = gpu.shared_alloc {offset = 0 : i64}
gpu.kernel @small_before_large(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = arith.constant 0.0 : f32
  %small = gpu.shared_alloc : memref<9xf32, #loop.space<shared>>
  %large = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  loop.store %v, %small[0] : f32 -> memref<9xf32, #loop.space<shared>>
  gpu.barrier
  loop.store %v, %large[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.end
}

// The object is used before the barrier only, and yet its bytes are for nothing else after it.
// CHECK-LABEL: gpu.kernel @object
// CHECK-SAME:  shared_bytes = 264 : i64
// CHECK:       %object = gpu.shared_alloc {offset = 256 : i64}
gpu.kernel @object(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = arith.constant 0.0 : f32
  %object = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %later = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  gpu.mbarrier_arrive %object[0] : memref<1xi64, #loop.space<shared>>
  gpu.barrier
  loop.store %v, %later[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.end
}

// Without shared buffers a kernel does not say how many bytes they are.
// CHECK-LABEL: gpu.kernel @nothing_shared
// CHECK-NOT:   shared_bytes
gpu.kernel @nothing_shared(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  gpu.end
}
