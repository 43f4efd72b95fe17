// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// %c is used after the barrier behind which nobody reads %a any more; %b lives all the time. The
// swizzled %d starts at a multiple of 1024.
gpu.kernel @three(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %v = arith.constant 0.0 : f32
  %a = gpu.shared_alloc : memref<100xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<9xf32, #loop.space<shared>>
  %c = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %d = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x32xf32, #loop.space<shared>>
  loop.store %v, %a[%t] : f32 -> memref<100xf32, #loop.space<shared>>
  loop.store %v, %b[0] : f32 -> memref<9xf32, #loop.space<shared>>
  gpu.barrier
  loop.store %v, %c[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  loop.store %v, %b[1] : f32 -> memref<9xf32, #loop.space<shared>>
  loop.store %v, %d[0, 0] : f32 -> memref<2x32xf32, #loop.space<shared>>
  gpu.end
}
// CHECK:      shared_bytes = 1280 : i64
// CHECK:      %a = gpu.shared_alloc {offset = 0 : i64} : memref<100xf32
// CHECK-NEXT: %b = gpu.shared_alloc {offset = 400 : i64} : memref<9xf32
// CHECK-NEXT: %c = gpu.shared_alloc {offset = 0 : i64} : memref<64xf32
// CHECK-NEXT: %d = gpu.shared_alloc {{.*}}offset = 1024 : i64
