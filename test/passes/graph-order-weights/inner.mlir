// RUN: dlc-opt %s --graph-order-weights=inner=n | filecheck %s --check-prefix=N
// RUN: dlc-opt %s --graph-order-weights=inner=k | filecheck %s --check-prefix=K

// N-LABEL: @convolution
// K-LABEL: @convolution
func.func @convolution(%x: tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // N: graph.transpose %w {permutation = array<i64: 2, 3, 1, 0>} : tensor<4x2x3x3xf32> -> tensor<3x3x2x4xf32>
  // N-NEXT: graph.conv {{.*}} weight_layout hwio
  // K: graph.transpose %w {permutation = array<i64: 0, 2, 3, 1>} : tensor<4x2x3x3xf32> -> tensor<4x3x3x2xf32>
  // K-NEXT: graph.conv {{.*}} weight_layout ohwi
  %w = graph.weight @w : tensor<4x2x3x3xf32>
  %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x8x8xf32>
  func.return %y : tensor<1x4x8x8xf32>
}

// N-LABEL: @matrix_product
// K-LABEL: @matrix_product
func.func @matrix_product(%x: tensor<5x3xf32>) -> tensor<5x4xf32> {
  // N-NEXT: %w = graph.weight @w
  // N-NEXT: graph.matmul %x, %w :
  // K: graph.transpose %w
  // K-NEXT: graph.matmul {{.*}} transpose_rhs
  %w = graph.weight @w : tensor<3x4xf32>
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  func.return %y : tensor<5x4xf32>
}

// K-LABEL: @not_an_activation
func.func @not_an_activation(%x: tensor<5x3xf32>, %w: tensor<3x4xf32>) -> tensor<5x4xf32> {
  // K-NEXT: graph.matmul %x, %w :
  %y = graph.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  func.return %y : tensor<5x4xf32>
}
