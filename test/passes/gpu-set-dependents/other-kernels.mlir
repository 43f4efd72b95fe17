// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// A kernel that is still one of loops stays, before and behind another one.

builtin.module {
  // CHECK: gpu.kernel @k
  // CHECK-SAME: constant_inputs = array<i64>} {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: loop.kernel @loops(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.kernel @loops(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fused_group.launch @loops(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = fused_group.launch @k(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = fused_group.launch @loops(%1) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %2 : tensor<8xf32>
  }
}
