// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s

builtin.module {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @add(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // One launch of 5 us takes longer than two of 2 and 2.9.
  // CHECK-LABEL: func.func @by_time
  func.func @by_time(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %a = {{.*}} {time_us = 2.000000e+00 : f64, after = array<i64>} :
    // CHECK-NEXT: %b = {{.*}} {time_us = 2.900000e+00 : f64, after = array<i64: 1>} :
    // CHECK-NEXT: %c = {{.*}} {time_us = 5.000000e+00 : f64, after = array<i64>, first} :
    // CHECK-NEXT: %d = fused_group.launch @add(%b, %c) :
    %a = fused_group.launch @k(%x) {time_us = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%a) {time_us = 2.9 : f64} : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @k(%x) {time_us = 5.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @add(%b, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %d : tensor<8xf32>
  }
  // Two ways that share their first launch take as long; what is beside them does not.
  // CHECK-LABEL: func.func @ties
  func.func @ties(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %a = fused_group.launch @k(%x) {after = array<i64>, first} :
    // CHECK-NEXT: %b = fused_group.launch @k(%a) {after = array<i64: 1>, first} :
    // CHECK-NEXT: %c = fused_group.launch @k(%a) {after = array<i64: 2>, first} :
    // CHECK-NEXT: %d = fused_group.launch @k(%x) {after = array<i64>} :
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%a) : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @k(%a) : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  // No way is longer than another.
  // CHECK-LABEL: func.func @alike
  // CHECK-NOT:     first
  func.func @alike(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b : tensor<8xf32>, tensor<8xf32>
  }
}
