// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// Who runs beside the launch before it is independent: all that it reads is constant, however large. Where a kernel is
// launched in both ways, it becomes two.

builtin.module {
  // CHECK: gpu.kernel @k(
  // CHECK-SAME: constant_inputs = array<i64>, dependents} {
  // CHECK: gpu.kernel @k_beside(
  // CHECK-SAME: independent, constant_inputs = array<i64: 0>, dependents} {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK: gpu.kernel @large(
  // CHECK-SAME: independent, constant_inputs = array<i64: 0>} {
  gpu.kernel @large(%x: memref<8xf32>, %y: memref<2048x1024xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2048x1024xf32>) {
    // CHECK: launch @k(%x) :
    // CHECK-NEXT: launch @k_beside(%x) of "b" {beside} :
    // CHECK-NEXT: launch @k_beside(%x) of "k" {beside} :
    // CHECK-NEXT: launch @large(%x) {beside} :
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%x) of "b" {beside} : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @k(%x) {beside} : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @large(%x) {beside} : (tensor<8xf32>) -> tensor<2048x1024xf32>
    func.return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2048x1024xf32>
  }
}
