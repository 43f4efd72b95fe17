// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// Two scales, one after the other: the first product with the weight is no constant yet.
// CHECK-LABEL: @twice
func.func @twice(%x: tensor<5x3xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK: %[[Z:.*]] = graph.add %[[Y]]
  // CHECK-NEXT: func.return %[[Z]]
  %w = graph.weight @w : tensor<3x4xf32>
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %0 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %0, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}
