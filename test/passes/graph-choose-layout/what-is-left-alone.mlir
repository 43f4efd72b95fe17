// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a | filecheck %s

// An image that comes in channels-last order and is transposed for the convolution: both cancel, nothing moves.

// CHECK-LABEL: @given_last
// CHECK:      %[[X:.*]] = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: %[[L:.*]] = graph.transpose %[[X]] {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: %[[Y:.*]] = graph.conv %[[L]], %w
// CHECK-SAME: layout channels_last
func.func @given_last(%x: tensor<1x56x56x64xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x56x56x64xf16> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x56x56x64xf16> -> tensor<1x64x56x56xf16>
  %1 = graph.conv %0, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x56x56xf16>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x64x56x56xf16> -> tensor<1x56x56x64xf16>
  func.return %2 : tensor<1x56x56x64xf16>
}

// A convolution that is in channels-last order has no preference.

// CHECK-LABEL: @is_last
// CHECK-NOT:   graph.transpose
func.func @is_last(%x: tensor<1x56x56x64xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x56x56x64xf16> {
  %1 = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : (tensor<1x56x56x64xf16>, tensor<64x64x3x3xf16>) -> tensor<1x56x56x64xf16>
  func.return %1 : tensor<1x56x56x64xf16>
}

// Pools follow their convolutions, and have no preference.

// CHECK-LABEL: @pool_alone
// CHECK-NOT:   graph.transpose
func.func @pool_alone(%x: tensor<1x64x56x56xf16>) -> tensor<1x64x28x28xf16> {
  %0 = graph.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x64x56x56xf16> -> tensor<1x64x28x28xf16>
  func.return %0 : tensor<1x64x28x28xf16>
}

// Constants lie as they are asked for: a convolution of constants, one of a constant image.

// CHECK-LABEL: @constants
// CHECK: graph.conv %x, %w
// CHECK-NOT: layout
// CHECK: graph.conv
func.func @constants(%v: tensor<64x64x3x3xf16>) -> (tensor<1x64x14x14xf16>, tensor<1x64x14x14xf16>) {
  %x = graph.weight @x : tensor<1x64x14x14xf16>
  %w = graph.weight @w : tensor<64x64x3x3xf16>
  %0 = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x14x14xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x14x14xf16>
  %1 = graph.conv %x, %v strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x14x14xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x14x14xf16>
  func.return %0, %1 : tensor<1x64x14x14xf16>, tensor<1x64x14x14xf16>
}
