// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s
// RUN: dlc-opt %s --gpu-insert-barriers --gpu-insert-barriers | filecheck %s

// The write is under a condition; the barrier is not.
gpu.kernel @exchange(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %n = arith.constant 50 : index
  %p = arith.cmpi slt, %t, %n : index
  scf.if %p {
    %v = loop.load %x[%t] : memref<64xf32> -> f32
    loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  }
  %w = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  loop.store %w, %y[%t] : f32 -> memref<64xf32>
  %z = loop.load %s[%t] : memref<64xf32, #loop.space<shared>> -> f32
  gpu.end
}
// CHECK-LABEL: gpu.kernel @exchange
// CHECK-NOT:  gpu.barrier
// CHECK:      scf.if
// CHECK-NOT:  gpu.barrier
// CHECK:      loop.store %{{.*}}, %s[%t]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %s
// CHECK-NOT:  gpu.barrier
// CHECK:      gpu.end
