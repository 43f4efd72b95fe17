// RUN: dlc-opt %s --graph-fold-constants | filecheck %s

// CHECK-LABEL: @chain
func.func @chain() -> tensor<2xf32> {
  // CHECK-NEXT: %[[C:.*]] = graph.constant dense<[4.000000e+00, 9.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: func.return %[[C]]
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = graph.splat 1.0 : f32 -> tensor<2xf32>
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.mul %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK-LABEL: @not_of_an_input
func.func @not_of_an_input(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: graph.add %x
  %b = graph.splat 1.0 : f32 -> tensor<2xf32>
  %0 = graph.add %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @not_a_weight_without_bytes
func.func @not_a_weight_without_bytes() -> tensor<2xf32> {
  // CHECK: graph.relu
  %w = graph.weight @unknown : tensor<2xf32>
  %0 = graph.relu %w : tensor<2xf32> -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @not_an_expanded_splat
func.func @not_an_expanded_splat() -> tensor<1024x1024xf32> {
  // CHECK: graph.add
  %b = graph.splat 1.0 : f32 -> tensor<1024x1024xf32>
  %0 = graph.add %b, %b : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  func.return %0 : tensor<1024x1024xf32>
}

// A product of a small factor and many: multiplying again is dearer than any constant.
// CHECK-LABEL: @large_product
func.func @large_product() -> tensor<700x700xi32> {
  // CHECK-NEXT: graph.weight
  // CHECK-NEXT: func.return
  %a = graph.splat 1 : i8 -> tensor<700x3xi8>
  %b = graph.splat 2 : i8 -> tensor<3x700xi8>
  %0 = graph.matmul %a, %b : (tensor<700x3xi8>, tensor<3x700xi8>) -> tensor<700x700xi32>
  func.return %0 : tensor<700x700xi32>
}
