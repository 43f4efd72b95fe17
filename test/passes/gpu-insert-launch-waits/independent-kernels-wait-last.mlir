// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s
// RUN: dlc-opt --gpu-insert-launch-waits %s | dlc-opt -t cuda | filecheck %s --check-prefix=CUDA

// The launch after it begins with it. Who waits for its end has waited for the launches that it runs beside.
// CHECK: gpu.kernel @free
// CHECK-NEXT: gpu.griddepcontrol_launch_dependents
// CHECK-NEXT: gpu.thread_id
// CHECK-NEXT: loop.load %x
// CHECK-NEXT: loop.store
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.end
// Nobody writes what it reads.
// CUDA: void __launch_bounds__(32) free(const float* __restrict__ b1, float* __restrict__ b2) {
gpu.kernel @free(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>, dependents, independent} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// No launch begins early after it.
// CHECK: gpu.kernel @last
// CHECK-NEXT: gpu.thread_id
// CHECK-NOT: launch_dependents
// CHECK: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.end
gpu.kernel @last(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>, independent} {
  %t = gpu.thread_id x : index
  %a = loop.load %x[%t] : memref<32xf32> -> f32
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}
