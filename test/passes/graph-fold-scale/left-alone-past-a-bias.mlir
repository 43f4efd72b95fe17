// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// CHECK-LABEL: @sum_with_two_readers
func.func @sum_with_two_readers(%x: tensor<5x3xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %[[Y]]
  // CHECK-NEXT: graph.mul %[[SUM]]
  %w = graph.weight @w : tensor<3x4xf32>
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %1, %2 : tensor<5x4xf32>, tensor<5x4xf32>
}

// CHECK-LABEL: @product_with_two_readers
func.func @product_with_two_readers(%x: tensor<5x3xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: graph.mul %[[SUM]]
  %w = graph.weight @w : tensor<3x4xf32>
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %y, %2 : tensor<5x4xf32>, tensor<5x4xf32>
}

// CHECK-LABEL: @scale_at_run_time
func.func @scale_at_run_time(%x: tensor<5x3xf32>, %s: tensor<4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: graph.mul %[[SUM]], %s
  %w = graph.weight @w : tensor<3x4xf32>
  %b = graph.weight @b : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @shift_at_run_time
func.func @shift_at_run_time(%x: tensor<5x3xf32>, %b: tensor<4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: graph.mul %[[SUM]]
  %w = graph.weight @w : tensor<3x4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}
