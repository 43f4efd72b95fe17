// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a --graph-choose-layout=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --graph-choose-layout=arch=cpu-avx2 | filecheck %s

// Between images that stay as they are: the tensors between two convolutions are in channels-last order.

// CHECK-LABEL: @convolutions
// CHECK:      %[[LAST:.*]] = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x64x56x56xf32> -> tensor<1x56x56x64xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.conv %[[LAST]], %w
// CHECK-SAME: layout channels_last
// CHECK-NEXT: %[[BACK:.*]] = graph.transpose %[[Y]] {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x56x56x64xf32> -> tensor<1x64x56x56xf32>
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[BACK]]
// CHECK-NEXT: %[[S:.*]] = graph.transpose %[[R]]
// CHECK-NEXT: graph.conv %[[S]], %w
// CHECK-SAME: layout channels_last
func.func @convolutions(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = graph.weight @w : tensor<64x64x3x3xf32>
  %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %r = graph.relu %y : tensor<1x64x56x56xf32> -> tensor<1x64x56x56xf32>
  %z = graph.conv %r, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  func.return %z : tensor<1x64x56x56xf32>
}

// CHECK-LABEL: @not_elementwise
func.func @not_elementwise(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  // CHECK-NOT: graph.transpose
  %y = graph.relu %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32>
  func.return %y : tensor<1x3x8x8xf32>
}
