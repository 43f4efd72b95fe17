// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// An input that is a weight at every launch is constant; inputs of the model and results of launches are not.

builtin.module {
  // CHECK: gpu.kernel @both
  // CHECK-SAME: constant_inputs = array<i64: 1, 2>
  gpu.kernel @both(%x: memref<4xf32>, %w: memref<4xf32>, %v: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @once
  // CHECK-SAME: constant_inputs = array<i64>
  gpu.kernel @once(%x: memref<4xf32>, %w: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w = graph.splat 1.0 : f32 -> tensor<4xf32>
    %u = graph.splat 2.0 : f32 -> tensor<2x2xf32>
    %v = graph.reshape %u {sizes = array<i64: 4>} : tensor<2x2xf32> -> tensor<4xf32>
    %0 = fused_group.launch @both(%x, %w, %v) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = fused_group.launch @once(%0, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = fused_group.launch @once(%1, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.return %2 : tensor<4xf32>
  }
}
