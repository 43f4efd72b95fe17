// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// A kernel lets others begin if one that comes after it may: @left and @right come after @first, @last after both.

builtin.module {
  // CHECK: gpu.kernel @first
  // CHECK-SAME: constant_inputs = array<i64>, dependents} {
  gpu.kernel @first(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // Nothing comes after it but @last, which is large.
  // CHECK: gpu.kernel @left
  // CHECK-SAME: constant_inputs = array<i64>} {
  gpu.kernel @left(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @right
  // CHECK-SAME: constant_inputs = array<i64>} {
  gpu.kernel @right(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @last
  // CHECK-SAME: outputs = 1 : i64} {
  gpu.kernel @last(%x: memref<8xf32>, %z: memref<8xf32>, %y: memref<2048x1024xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<2048x1024xf32> {
    %a = fused_group.launch @first(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @left(%a) {after = array<i64: 1>} : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @right(%a) {after = array<i64: 2>} : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @last(%b, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<2048x1024xf32>
    func.return %d : tensor<2048x1024xf32>
  }
}
