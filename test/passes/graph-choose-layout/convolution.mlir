// RUN: dlc-opt %s --graph-choose-layout | filecheck %s
// RUN: dlc-opt %s --graph-choose-layout --graph-sink-transposes | filecheck %s

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  // CHECK: %[[LAST:.*]] = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.conv %[[LAST]], %w
  // CHECK-SAME: layout channels_last
  // CHECK-NEXT: graph.transpose %[[Y]] {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x8x4xf32> -> tensor<1x4x8x8xf32>
  %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  func.return %y : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @not_elementwise
func.func @not_elementwise(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  // CHECK-NOT: graph.transpose
  %y = graph.relu %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  func.return %y : tensor<1x3x8x8xf32>
}
