// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s

// What is small before and behind a large kernel may run at the same time, but not beside it.

builtin.module {
  gpu.kernel @small(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @large(%x: memref<8xf32>, %y: memref<1024x1024xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: launch @small(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @small(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @large(%x) :
    // CHECK-NEXT: launch @small(%x) {after = array<i64: 1>} :
    // CHECK-NEXT: launch @small(%b) {after = array<i64: 2>} :
    %a = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @large(%x) : (tensor<8xf32>) -> tensor<1024x1024xf32>
    %d = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %e = fused_group.launch @small(%b) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b, %c, %d, %e : tensor<8xf32>, tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
