// RUN: dlc-opt %s --graph-fold-constants | filecheck %s

// What has more than a few elements becomes a weight, and what is made of it is known, too: moved as
// it is, or computed.
// CHECK-LABEL: @moved
func.func @moved() -> tensor<2xf32> {
  // CHECK-NEXT: %[[C:.*]] = graph.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: func.return %[[C]]
  %a = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.concat %a, %a {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = graph.slice %0 {starts = array<i64: 5>, stops = array<i64: 7>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK-LABEL: @computed
func.func @computed() -> tensor<1xf32> {
  // CHECK-NEXT: %[[C:.*]] = graph.constant dense<2.500000e+00> : tensor<1xf32>
  // CHECK-NEXT: func.return %[[C]]
  %a = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.concat %a, %a {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = graph.reduce_mean %0 axes [0] keep_dims : tensor<8xf32> -> tensor<1xf32>
  func.return %1 : tensor<1xf32>
}

// Constants stay what they are.
// CHECK-LABEL: @already_constant
func.func @already_constant(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %c = graph.splat 1.000000e+00 : f32 -> tensor<2xf32>
  // CHECK-NEXT: graph.add %x, %c
  %c = graph.splat 1.0 : f32 -> tensor<2xf32>
  %0 = graph.add %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
