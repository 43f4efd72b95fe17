// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// A thread writes what, by the indices, another one may write, too: no lowering does that, so no barrier stands
// between the two, and each may be under a condition. One stands before the read.
gpu.kernel @two(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, scratch = array<i64: 512>} {
  %t = gpu.thread_id x : index
  %half = arith.constant 32 : index
  %c = arith.cmpi slt, %t, %half : index
  %v = loop.load %x[%t] : memref<64xf32> -> f32
  scf.if %c {
    loop.store %v, %s[%t * 2] : f32 -> memref<128xf32>
  }
  scf.if %c {
    loop.store %v, %s[%t + 32] : f32 -> memref<128xf32>
  }
  %w = loop.load %s[63 - %t] : memref<128xf32> -> f32
  loop.store %w, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}
// CHECK:      loop.store %v, %s
// CHECK-NOT:  gpu.barrier
// CHECK:      loop.store %v, %s
// CHECK:      gpu.barrier
// CHECK-NEXT: loop.load %s
