// RUN: dlc-opt %s --graph-append-gradients | filecheck %s

// The weight is an input of a step of training, as is the gradient of the result. Nobody asks for the gradient of the image.

// CHECK:      func.func @main(%x: {{.*}}, %[[W:.*]]: tensor<3x2x3x3xf32> {graph.name = "w"}, %[[D:.*]]: tensor<1x3x4x4xf32> {graph.name = "gradient of output0"})
// CHECK-SAME: {graph.name = "output0"}, tensor<3x2x3x3xf32> {graph.name = "gradient of w"})
// CHECK-NEXT: %[[Y:.*]] = graph.conv %x, %[[W]] strides [2, 2]
// CHECK-NEXT: %[[R:.*]] = graph.relu %[[Y]]

// The gradient of relu is a choice by its result.

// CHECK:      %[[P:.*]] = graph.compare %{{.*}}, %[[R]] {predicate = "lt"}
// CHECK:      %[[DY:.*]] = graph.where %[[P]], %[[D]], %{{.*}}

// Of a convolution batch and channels change places, and so do strides and dilations.

// CHECK:      %[[A:.*]] = graph.reshape {{.*}} -> tensor<2x1x9x9xf32>
// CHECK-NEXT: %[[B:.*]] = graph.transpose %[[DY]] {permutation = array<i64: 1, 2, 3, 0>} : tensor<1x3x4x4xf32> -> tensor<3x4x4x1xf32>
// CHECK-NEXT: %[[C:.*]] = graph.conv %[[A]], %[[B]] strides [1, 1] padding [0, 0, 0, 0] dilations [2, 2] weight_layout ohwi
// CHECK-NEXT: %[[DW:.*]] = graph.transpose %[[C]] {permutation = array<i64: 1, 0, 2, 3>} : tensor<2x3x3x3xf32> -> tensor<3x2x3x3xf32>
// CHECK-NOT:  graph.conv
// CHECK:      func.return %[[R]], %[[DW]]
func.func @main(%x: tensor<1x2x10x9xf32>) -> tensor<1x3x4x4xf32> {
  %w = graph.weight @w : tensor<3x2x3x3xf32>
  %0 = graph.conv %x, %w strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x2x10x9xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = graph.relu %0 : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32>
  func.return %1 : tensor<1x3x4x4xf32>
}
