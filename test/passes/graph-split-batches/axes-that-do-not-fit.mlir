// RUN: dlc-opt %s --graph-split-batches | filecheck %s

// A bias that repeats itself along one axis of two that become others.
// CHECK-LABEL: @part_of_an_axis
// CHECK-NEXT:    graph.matmul %q, %k
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    graph.reshape
func.func @part_of_an_axis(%q: tensor<4x3x3x5xf32>, %k: tensor<4x3x5x3xf32>, %bias: tensor<4x1x3x3xf32>) -> tensor<2x6x1x3x3xf32> {
  %0 = graph.matmul %q, %k : (tensor<4x3x3x5xf32>, tensor<4x3x5x3xf32>) -> tensor<4x3x3x3xf32>
  %1 = graph.add %0, %bias : (tensor<4x3x3x3xf32>, tensor<4x1x3x3xf32>) -> tensor<4x3x3x3xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 6, 1, 3, 3>} : tensor<4x3x3x3xf32> -> tensor<2x6x1x3x3xf32>
  func.return %2 : tensor<2x6x1x3x3xf32>
}

// A softmax of the axis that is split.
// CHECK-LABEL: @softmax_of_the_batch
// CHECK-NEXT:    graph.matmul %q, %k
// CHECK-NEXT:    graph.softmax {{.*}} axis 0
// CHECK-NEXT:    graph.reshape
func.func @softmax_of_the_batch(%q: tensor<4x3x5xf32>, %k: tensor<4x5x3xf32>) -> tensor<2x2x3x3xf32> {
  %0 = graph.matmul %q, %k : (tensor<4x3x5xf32>, tensor<4x5x3xf32>) -> tensor<4x3x3xf32>
  %1 = graph.softmax %0 axis 0 : tensor<4x3x3xf32> -> tensor<4x3x3xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 2, 3, 3>} : tensor<4x3x3xf32> -> tensor<2x2x3x3xf32>
  func.return %2 : tensor<2x2x3x3xf32>
}

// What is merged is not of a product.
// CHECK-LABEL: @merged_inputs
// CHECK-NEXT:    graph.reshape %x
// CHECK-NEXT:    graph.matmul
func.func @merged_inputs(%x: tensor<2x2x3x5xf32>, %k: tensor<4x5x3xf32>) -> tensor<4x3x3xf32> {
  %0 = graph.reshape %x {sizes = array<i64: 4, 3, 5>} : tensor<2x2x3x5xf32> -> tensor<4x3x5xf32>
  %1 = graph.matmul %0, %k : (tensor<4x3x5xf32>, tensor<4x5x3xf32>) -> tensor<4x3x3xf32>
  func.return %1 : tensor<4x3x3xf32>
}

// Keys that neighbours share along the axis that is split.
// CHECK-LABEL: @shared
// CHECK-NEXT:    graph.matmul %q, %k shared 2
// CHECK-NEXT:    graph.reshape
func.func @shared(%q: tensor<4x3x5xf32>, %k: tensor<2x5x3xf32>) -> tensor<2x2x3x3xf32> {
  %0 = graph.matmul %q, %k shared 2 : (tensor<4x3x5xf32>, tensor<2x5x3xf32>) -> tensor<4x3x3xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 2, 3, 3>} : tensor<4x3x3xf32> -> tensor<2x2x3x3xf32>
  func.return %1 : tensor<2x2x3x3xf32>
}

// Merged scores are repeated along one more axis.
// CHECK-LABEL: @one_more_axis
// CHECK:         %[[M:.*]] = graph.reshape {{.*}} -> tensor<8x3x3xf32>
// CHECK-NEXT:    graph.add %[[M]], %mask
func.func @one_more_axis(%q: tensor<2x2x2x3x5xf32>, %k: tensor<2x2x2x5x3xf32>, %mask: tensor<6x8x3x3xf32>) -> tensor<6x8x3x3xf32> {
  %0 = graph.matmul %q, %k : (tensor<2x2x2x3x5xf32>, tensor<2x2x2x5x3xf32>) -> tensor<2x2x2x3x3xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 8, 3, 3>} : tensor<2x2x2x3x3xf32> -> tensor<8x3x3xf32>
  %2 = graph.add %1, %mask : (tensor<8x3x3xf32>, tensor<6x8x3x3xf32>) -> tensor<6x8x3x3xf32>
  func.return %2 : tensor<6x8x3x3xf32>
}
