// RUN: dlc-opt --gpu-insert-launch-waits %s | dlc-opt -t cuda | filecheck %s --check-prefix=CUDA

// What the kernel writes and reads again is not __restrict__; what it only writes is.
// CUDA: void __launch_bounds__(32) again(float* __restrict__ b{{[0-9]+}}, float* b{{[0-9]+}}) {
gpu.kernel @again(%y: memref<32xf32>, %parts: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, scratch = array<i64: 128>, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %z = arith.constant 0.0 : f32
  loop.store %z, %parts[%t] : f32 -> memref<32xf32>
  gpu.barrier
  %a = loop.load %parts[31 - %t] : memref<32xf32> -> f32
  loop.store %a, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}
