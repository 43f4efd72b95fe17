// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s

// Where a launch says that it runs beside another one, the order stays.

builtin.module {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK: %a = fused_group.launch @k(%x) :
    // CHECK-NEXT: %b = fused_group.launch @k(%x) of "b" {beside} :
    // CHECK-NEXT: %c = fused_group.launch @k(%x) of "c" :
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%x) of "b" {beside} : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @k(%x) of "c" : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
