// RUN: dlc-opt --gpu-insert-launch-waits %s | filecheck %s
// RUN: dlc-opt --gpu-insert-launch-waits %s | dlc-opt -t cuda | filecheck %s --check-prefix=CUDA

// Constants are read before the wait, all else after it.
// CHECK: gpu.kernel @read
// CHECK:      loop.load %w
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.griddepcontrol_launch_dependents
// CHECK-NEXT: loop.load %x
// What launches may write while the kernel runs is not __restrict__.
// CUDA: void __launch_bounds__(32) read(const float* b1, const float* __restrict__ b2, float* __restrict__ b3) {
// CUDA:      = b2[
// CUDA:      wait_for_launches();
// CUDA-NEXT: launch_dependents();
// CUDA-NEXT: = b1[
gpu.kernel @read(%x: memref<32xf32>, %w: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 1>, dependents} {
  %t = gpu.thread_id x : index
  %b = loop.load %w[%t] : memref<32xf32> -> f32
  %a = loop.load %x[%t] : memref<32xf32> -> f32
  %s = arith.addf %a, %b : f32
  loop.store %s, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// A launch before may still read the memory of the output.
// CHECK: gpu.kernel @write
// CHECK:      arith.constant
// CHECK-NEXT: gpu.griddepcontrol_wait
// CHECK-NEXT: gpu.griddepcontrol_launch_dependents
// CHECK-NEXT: loop.store
// CHECK-NEXT: gpu.end
gpu.kernel @write(%y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>, dependents} {
  %t = gpu.thread_id x : index
  %z = arith.constant 0.0 : f32
  loop.store %z, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// Outside of the loop; nothing is said of the launch after it.
// CHECK: gpu.kernel @loop
// CHECK:      gpu.griddepcontrol_wait
// CHECK-NEXT: scf.for
// CHECK-NOT:  griddepcontrol
// CHECK:      gpu.end
gpu.kernel @loop(%x: memref<32xf32>, %y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 32 : index
  scf.for %i = %zero to %many step %one {
    %a = loop.load %x[%i] : memref<32xf32> -> f32
    loop.store %a, %y[%i] : f32 -> memref<32xf32>
  }
  gpu.end
}
