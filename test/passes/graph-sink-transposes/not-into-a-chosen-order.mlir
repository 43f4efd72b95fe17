// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// A convolution that prefers another order than it has was left in it.

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = graph.transpose
// CHECK: graph.conv %[[X]]
// CHECK-NOT: channels_last
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x3xf32> -> tensor<1x3x8x8xf32>
  %1 = graph.conv %0, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  func.return %1 : tensor<1x4x8x8xf32>
}
