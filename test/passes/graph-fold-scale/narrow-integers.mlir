// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// CHECK-LABEL: @not_into_narrow_integers
func.func @not_into_narrow_integers(%x: tensor<5x3xui8>) -> tensor<5x4xi32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]]
  %w = graph.weight @w : tensor<3x4xi8>
  %s = graph.weight @s : tensor<4xi32>
  %y = graph.matmul %x, %w : (tensor<5x3xui8>, tensor<3x4xi8>) -> tensor<5x4xi32>
  %2 = graph.mul %y, %s : (tensor<5x4xi32>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %2 : tensor<5x4xi32>
}
