// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// What touches at most 4 MiB that launches write begins early, and who is launched before it lets it in.

builtin.module {
  // CHECK: gpu.kernel @small
  // CHECK-SAME: outputs = 1 : i64, constant_inputs = array<i64: 1>, dependents} {
  gpu.kernel @small(%x: memref<512x1024xf32>, %w: memref<1024x4096xf32>, %y: memref<512x1024xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // One element more. It begins when those before it have ended, and the next one when it has ended.
  // CHECK: gpu.kernel @large
  // CHECK-SAME: outputs = 2 : i64} {
  gpu.kernel @large(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>, %z: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 2 : i64} {
    gpu.end
  }
  // Nothing that begins early follows.
  // CHECK: gpu.kernel @last
  // CHECK-SAME: outputs = 1 : i64, constant_inputs = array<i64>} {
  gpu.kernel @last(%x: memref<512x1024xf32>, %y: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<512x1024xf32>) -> tensor<1xf32> {
    %w = graph.splat 1.0 : f32 -> tensor<1024x4096xf32>
    %0, %1 = fused_group.launch @large(%x) : (tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<1xf32>)
    %2 = fused_group.launch @small(%0, %w) : (tensor<512x1024xf32>, tensor<1024x4096xf32>) -> tensor<512x1024xf32>
    %3 = fused_group.launch @last(%2) : (tensor<512x1024xf32>) -> tensor<1xf32>
    func.return %3 : tensor<1xf32>
  }
}
