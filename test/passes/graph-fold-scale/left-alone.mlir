// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// CHECK-LABEL: @scale_at_run_time
func.func @scale_at_run_time(%x: tensor<5x3xf32>, %s: tensor<4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]], %s
  %w = graph.weight @w : tensor<3x4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @factor_at_run_time
func.func @factor_at_run_time(%x: tensor<5x3xf32>, %w: tensor<3x4xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x, %w
  // CHECK-NEXT: graph.mul %[[Y]]
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @scale_of_higher_rank
func.func @scale_of_higher_rank(%x: tensor<5x3xf32>) -> tensor<1x5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]]
  %w = graph.weight @w : tensor<3x4xf32>
  %s = graph.weight @s : tensor<1x1x4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<1x1x4xf32>) -> tensor<1x5x4xf32>
  func.return %2 : tensor<1x5x4xf32>
}

// CHECK-LABEL: @scale_that_repeats_the_result
func.func @scale_that_repeats_the_result(%x: tensor<1x3xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]]
  %w = graph.weight @w : tensor<3x4xf32>
  %s = graph.splat 0.5 : f32 -> tensor<2x1xf32>
  %y = graph.matmul %x, %w : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
  %2 = graph.mul %y, %s : (tensor<1x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}
