// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// It lets the next launch begin if some launch that comes after it may: another one waits for its end by itself.

builtin.module {
  // CHECK: gpu.kernel @twice
  // CHECK-SAME: constant_inputs = array<i64>, dependents} {
  gpu.kernel @twice(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @large
  // CHECK-SAME: outputs = 2 : i64} {
  gpu.kernel @large(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>, %z: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 2 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @last
  // CHECK-SAME: outputs = 1 : i64, constant_inputs = array<i64>} {
  gpu.kernel @last(%x: memref<512x1024xf32>, %y: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<512x1024xf32>) -> tensor<1xf32> {
    %0 = fused_group.launch @twice(%x) : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    %1, %2 = fused_group.launch @large(%0) : (tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<1xf32>)
    %3 = fused_group.launch @twice(%1) : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    %4 = fused_group.launch @last(%3) : (tensor<512x1024xf32>) -> tensor<1xf32>
    func.return %4 : tensor<1xf32>
  }
}
