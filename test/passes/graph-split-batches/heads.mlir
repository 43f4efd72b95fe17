// RUN: dlc-opt %s --graph-split-batches | filecheck %s

// The mask is for each sequence: the products of all heads get the axis of sequences, too.
// CHECK-LABEL: @unfolded_for_a_mask
// CHECK-NEXT:    %[[Q:.*]] = graph.reshape %q {{.*}} -> tensor<2x8x16x4xf32>
// CHECK-NEXT:    %[[K:.*]] = graph.reshape %k {{.*}} -> tensor<2x8x16x4xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.matmul %[[Q]], %[[K]] transpose_rhs
// CHECK-NEXT:    %[[B:.*]] = graph.reshape %bias {{.*}} -> tensor<2x8x1x16xf32>
// CHECK-NEXT:    %[[A:.*]] = graph.add %[[S]], %[[B]]
// CHECK-NEXT:    %[[M:.*]] = graph.add %[[A]], %mask
// CHECK-NEXT:    %[[W:.*]] = graph.softmax %[[M]] axis 3
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %v {{.*}} -> tensor<2x8x16x4xf32>
// CHECK-NEXT:    %[[Y:.*]] = graph.matmul %[[W]], %[[V]]
// CHECK-NEXT:    graph.reshape %[[Y]] {{.*}} -> tensor<16x16x4xf32>
func.func @unfolded_for_a_mask(%q: tensor<16x16x4xf32>, %k: tensor<16x16x4xf32>, %v: tensor<16x16x4xf32>, %bias: tensor<16x1x16xf32>, %mask: tensor<2x1x1x16xf32>) -> tensor<16x16x4xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<16x16x4xf32>, tensor<16x16x4xf32>) -> tensor<16x16x16xf32>
  %1 = graph.add %0, %bias : (tensor<16x16x16xf32>, tensor<16x1x16xf32>) -> tensor<16x16x16xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 8, 16, 16>} : tensor<16x16x16xf32> -> tensor<2x8x16x16xf32>
  %3 = graph.add %2, %mask : (tensor<2x8x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x8x16x16xf32>
  %4 = graph.softmax %3 axis 3 : tensor<2x8x16x16xf32> -> tensor<2x8x16x16xf32>
  %5 = graph.reshape %4 {sizes = array<i64: 16, 16, 16>} : tensor<2x8x16x16xf32> -> tensor<16x16x16xf32>
  %6 = graph.matmul %5, %v : (tensor<16x16x16xf32>, tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
  func.return %6 : tensor<16x16x4xf32>
}

// Windows of an image: a mask for each window, a bias for each head.
// CHECK-LABEL: @windows
// CHECK:         graph.matmul {{.*}} -> tensor<2x4x3x9x9xf32>
// CHECK:         %[[B:.*]] = graph.reshape %bias {{.*}} -> tensor<1x1x3x9x9xf32>
// CHECK-NEXT:    graph.add {{.*}}, %[[B]]
// CHECK-NEXT:    graph.add {{.*}}, %mask
// CHECK-NEXT:    %[[W:.*]] = graph.softmax {{.*}} axis 4
// CHECK-NEXT:    graph.reshape %[[W]] {{.*}} -> tensor<8x3x9x9xf32>
func.func @windows(%q: tensor<8x3x9x4xf32>, %k: tensor<8x3x9x4xf32>, %bias: tensor<1x3x9x9xf32>, %mask: tensor<1x4x1x9x9xf32>) -> tensor<8x3x9x9xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<8x3x9x4xf32>, tensor<8x3x9x4xf32>) -> tensor<8x3x9x9xf32>
  %1 = graph.add %0, %bias : (tensor<8x3x9x9xf32>, tensor<1x3x9x9xf32>) -> tensor<8x3x9x9xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 4, 3, 9, 9>} : tensor<8x3x9x9xf32> -> tensor<2x4x3x9x9xf32>
  %3 = graph.add %2, %mask : (tensor<2x4x3x9x9xf32>, tensor<1x4x1x9x9xf32>) -> tensor<2x4x3x9x9xf32>
  %4 = graph.reshape %3 {sizes = array<i64: 8, 3, 9, 9>} : tensor<2x4x3x9x9xf32> -> tensor<8x3x9x9xf32>
  %5 = graph.softmax %4 axis 3 : tensor<8x3x9x9xf32> -> tensor<8x3x9x9xf32>
  func.return %5 : tensor<8x3x9x9xf32>
}
