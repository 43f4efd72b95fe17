// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s

// A warp that meets within one branch has no role of its own: the wait stands before the condition.
// CHECK: gpu.kernel @meets
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.if
// CHECK-NOT:  griddepcontrol
gpu.kernel @meets(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %half = arith.constant 32 : index
  %first = arith.cmpi slt, %t, %half : index
  scf.if %first {
    %a = loop.load %x[%t] : memref<64xf32> -> f32
    gpu.warp_barrier
    loop.store %a, %y[%t] : f32 -> memref<64xf32>
  } else {
    %b = loop.load %x[%t] : memref<64xf32> -> f32
    loop.store %b, %y[%t] : f32 -> memref<64xf32>
  }
  gpu.end
}
