// RUN: dlc-opt %s --graph-order-weights=inner=gpu | filecheck %s

// Threads multiply-add in fp32 and load columns of a line: the weight becomes K x N.
// CHECK-LABEL: @threads
func.func @threads(%x: tensor<64x3xf32>) -> tensor<64x8xf32> {
  // CHECK: graph.transpose %w {{.*}} : tensor<8x3xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: graph.matmul %x, %{{.*}} : (tensor<64x3xf32>, tensor<3x8xf32>)
  %w = graph.weight @w : tensor<8x3xf32>
  %y = graph.matmul %x, %w transpose_rhs : (tensor<64x3xf32>, tensor<8x3xf32>) -> tensor<64x8xf32>
  func.return %y : tensor<64x8xf32>
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: graph.conv {{.*}} weight_layout hwio
  %w = graph.weight @c : tensor<4x2x3x3xf32>
  %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x8x8xf32>
  func.return %y : tensor<1x4x8x8xf32>
}

// Few rows, columns that fill no copy, and products by matrix instructions: along the reduction.
// CHECK-LABEL: @few_rows
func.func @few_rows(%x: tensor<1x3xf32>) -> tensor<1x8xf32> {
  // CHECK: graph.matmul {{.*}} transpose_rhs
  %w = graph.weight @w1 : tensor<3x8xf32>
  %y = graph.matmul %x, %w : (tensor<1x3xf32>, tensor<3x8xf32>) -> tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// CHECK-LABEL: @odd_columns
func.func @odd_columns(%x: tensor<64x3xf32>) -> tensor<64x7xf32> {
  // CHECK: graph.matmul {{.*}} transpose_rhs
  %w = graph.weight @w2 : tensor<3x7xf32>
  %y = graph.matmul %x, %w : (tensor<64x3xf32>, tensor<3x7xf32>) -> tensor<64x7xf32>
  func.return %y : tensor<64x7xf32>
}

// CHECK-LABEL: @tensor_cores
func.func @tensor_cores(%x: tensor<64x3xf32>) -> tensor<64x8xf32> {
  // CHECK: graph.matmul {{.*}} transpose_rhs precision tf32
  %w = graph.weight @w3 : tensor<3x8xf32>
  %y = graph.matmul %x, %w precision tf32 : (tensor<64x3xf32>, tensor<3x8xf32>) -> tensor<64x8xf32>
  func.return %y : tensor<64x8xf32>
}
