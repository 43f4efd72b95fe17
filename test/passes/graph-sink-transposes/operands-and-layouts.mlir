// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// An operand of fewer axes gets the others before its own change places.
// CHECK-LABEL: @operand_of_lower_rank
func.func @operand_of_lower_rank(%x: tensor<2x3x4xf32>, %c: tensor<4x3xf32>) -> tensor<2x4x3xf32> {
  // CHECK: %[[R:.*]] = graph.reshape %c {sizes = array<i64: 1, 4, 3>}
  // CHECK: %[[T:.*]] = graph.transpose %[[R]] {permutation = array<i64: 0, 2, 1>} : tensor<1x4x3xf32> -> tensor<1x3x4xf32>
  // CHECK: %[[Y:.*]] = graph.add %x, %[[T]]
  // CHECK: graph.transpose %[[Y]] {permutation = array<i64: 0, 2, 1>}
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  %1 = graph.add %0, %c : (tensor<2x4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x3xf32>
  func.return %1 : tensor<2x4x3xf32>
}

// A convolution with its channels last runs best as it is.
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x8x9x9xf32>, %w: tensor<6x8x3x3xf32>) -> tensor<2x9x9x6xf32> {
  // CHECK: %[[T:.*]] = graph.transpose %x
  // CHECK-NEXT: graph.conv %[[T]], %w {{.*}} layout channels_last
  // CHECK-NEXT: func.return
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<2x8x9x9xf32> -> tensor<2x9x9x8xf32>
  %y = graph.conv %0, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : (tensor<2x9x9x8xf32>, tensor<6x8x3x3xf32>) -> tensor<2x9x9x6xf32>
  func.return %y : tensor<2x9x9x6xf32>
}

// Most of the bytes come in their own order: a transposed constant does not count.
// CHECK-LABEL: @smaller_part
func.func @smaller_part(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[T:.*]] = graph.transpose
  // CHECK-NEXT: graph.add %x, %[[T]]
  // CHECK-NEXT: func.return
  %w = graph.weight @w : tensor<3x4xf32>
  %0 = graph.transpose %w {permutation = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  %1 = graph.add %x, %0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %1 : tensor<4x3xf32>
}
