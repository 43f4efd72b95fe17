// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// CHECK-LABEL: @scale_of_convolution
func.func @scale_of_convolution(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: %[[W:.*]] = graph.weight @w
  // CHECK: %[[S:.*]] = graph.weight @s
  // CHECK: %[[A:.*]] = graph.reshape %[[S]] {{.*}} -> tensor<4x1x1x1xf32>
  // CHECK-NEXT: %[[WS:.*]] = graph.mul %[[W]], %[[A]]
  // CHECK-NEXT: graph.conv %x, %[[WS]]
  // CHECK-NEXT: func.return
  %w = graph.weight @w : tensor<4x3x3x3xf32>
  %s = graph.weight @s : tensor<4x1x1xf32>
  %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %z = graph.mul %y, %s : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  func.return %z : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @past_a_bias
func.func @past_a_bias(%x: tensor<5x3xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK: graph.add %[[Y]]
  // CHECK-NEXT: func.return
  %w = graph.weight @w : tensor<3x4xf32>
  %b = graph.weight @b : tensor<4xf32>
  %s = graph.splat 0.5 : f32 -> tensor<1xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %1 = graph.add %y, %b : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %1, %s : (tensor<5x4xf32>, tensor<1xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @not_along_rows
func.func @not_along_rows(%x: tensor<5x3xf32>) -> tensor<5x4xf32> {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]]
  %w = graph.weight @w : tensor<3x4xf32>
  %s = graph.weight @s : tensor<5x1xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<5x1xf32>) -> tensor<5x4xf32>
  func.return %2 : tensor<5x4xf32>
}

// CHECK-LABEL: @not_with_two_readers
func.func @not_with_two_readers(%x: tensor<5x3xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  // CHECK: %[[Y:.*]] = graph.matmul %x
  // CHECK-NEXT: graph.mul %[[Y]]
  %w = graph.weight @w : tensor<3x4xf32>
  %s = graph.weight @s : tensor<4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %2 = graph.mul %y, %s : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  func.return %y, %2 : tensor<5x4xf32>, tensor<5x4xf32>
}
