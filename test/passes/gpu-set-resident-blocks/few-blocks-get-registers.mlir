// RUN: dlc-opt --gpu-set-resident-blocks=arch=sm_90a %s | filecheck %s
// RUN: dlc-opt --gpu-set-resident-blocks=arch=sm_90a %s | dlc-opt -t cuda | filecheck %s --check-prefix=CUDA

// 264 blocks on 132 SMs: two on each.
// CHECK:      gpu.kernel @two() attributes {{{.*}}, resident_blocks = 2 : i64} {
// CUDA:       extern "C" __global__ void __launch_bounds__(128, 2) two() {
gpu.kernel @two() attributes {grid = array<i64: 66, 4, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64} {
  gpu.end
}

// A block more than one for each.
// CHECK:      gpu.kernel @uneven() attributes {{{.*}}, resident_blocks = 2 : i64} {
gpu.kernel @uneven() attributes {grid = array<i64: 133, 1, 1>, block = array<i64: 512, 1, 1>, outputs = 0 : i64} {
  gpu.end
}

// Totals of warps in shared memory are no reason against it.
// CHECK: gpu.kernel @totals
// CHECK-SAME: resident_blocks = 1 : i64
gpu.kernel @totals() attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, shared_bytes = 16 : i64} {
  gpu.barrier
  gpu.end
}
