// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// There is no weight that would take the scale.
// CHECK-LABEL: @shift_of_no_product
func.func @shift_of_no_product(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.relu
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %[[Y]]
  // CHECK-NEXT: graph.mul %[[SUM]]
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.relu %x : tensor<5x4xf32> -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @shift_of_a_product_of_values
func.func @shift_of_a_product_of_values(%x: tensor<5x3xf32>, %w: tensor<3x4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: graph.mul %[[SUM]]
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @shift_of_a_product_of_integers
func.func @shift_of_a_product_of_integers(%x: tensor<5x3xui8>) -> tensor<5x4xi32> {
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: graph.mul %[[SUM]]
  %w = graph.weight @w : tensor<3x4xi8>
  %b = graph.weight @b : tensor<4xi32>
  %s = graph.weight @s : tensor<4xi32>
  %y = graph.matmul %x, %w : (tensor<5x3xui8>, tensor<3x4xi8>) -> tensor<5x4xi32>
  %1 = graph.add %y, %b : (tensor<5x4xi32>, tensor<4xi32>) -> tensor<5x4xi32>
  %2 = graph.mul %1, %s : (tensor<5x4xi32>, tensor<4xi32>) -> tensor<5x4xi32>
  func.return %2 : tensor<5x4xi32>
}
