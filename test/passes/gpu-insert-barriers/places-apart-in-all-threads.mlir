// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// The second round's lines begin where the first round's end, whichever threads are compared; the
// third one overlaps them.
gpu.kernel @rounds(%x: memref<64x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32x8xf32, #loop.space<shared>>
  %v = loop.load %x[0, %t] : memref<64x64xf32> -> f32
  loop.store %v, %s[%t floordiv 4, 0] : f32 -> memref<32x8xf32, #loop.space<shared>>
  loop.store %v, %s[%t floordiv 4 + 16, 0] : f32 -> memref<32x8xf32, #loop.space<shared>>
  loop.store %v, %s[%t floordiv 4 + 15, 0] : f32 -> memref<32x8xf32, #loop.space<shared>>
  gpu.end
}
// CHECK-LABEL: gpu.kernel @rounds
// CHECK:       loop.load
// CHECK-NEXT:  loop.store %v, %s[%t floordiv 4, 0]
// CHECK-NEXT:  loop.store %v, %s[%t floordiv 4 + 16, 0]
// CHECK-NEXT:  gpu.barrier
// CHECK-NEXT:  loop.store %v, %s[%t floordiv 4 + 15, 0]
