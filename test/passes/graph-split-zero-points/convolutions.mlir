// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s

// Without padding all windows of equal elements are one window.
// CHECK-LABEL: @inside
func.func @inside(%x: tensor<2x8x9x9xui8>, %p: tensor<i32>, %w: tensor<6x4x3x2xi8>, %q: tensor<6x1x1x1xi32>) -> tensor<2x6x4x8xi32> {
  // CHECK: %[[Q:.*]] = graph.reshape %q {sizes = array<i64: 1, 6, 1, 1>}
  // CHECK: %[[X:.*]] = graph.splat 1 : i8 -> tensor<1x8x3x2xi8>
  // CHECK: %[[W:.*]] = graph.splat 1 : i8 -> tensor<6x4x3x2xi8>
  // CHECK: graph.conv %x, %w strides [2, 1] {{.*}} groups 2 {{.*}} -> tensor<2x6x4x8xi32>
  // CHECK: graph.conv %[[X]], %w {{.*}} -> tensor<1x6x1x1xi32>
  // CHECK: graph.conv %x, %[[W]] {{.*}} -> tensor<2x6x4x8xi32>
  %0 = graph.cast %x {to = i32} : tensor<2x8x9x9xui8> -> tensor<2x8x9x9xi32>
  %1 = graph.sub %0, %p : (tensor<2x8x9x9xi32>, tensor<i32>) -> tensor<2x8x9x9xi32>
  %2 = graph.cast %w {to = i32} : tensor<6x4x3x2xi8> -> tensor<6x4x3x2xi32>
  %3 = graph.sub %2, %q : (tensor<6x4x3x2xi32>, tensor<6x1x1x1xi32>) -> tensor<6x4x3x2xi32>
  %y = graph.conv %1, %3 strides [2, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 2 : (tensor<2x8x9x9xi32>, tensor<6x4x3x2xi32>) -> tensor<2x6x4x8xi32>
  func.return %y : tensor<2x6x4x8xi32>
}

// Where windows reach into the padding, each place has a sum of its own; one image stands for all.
// CHECK-LABEL: @padded
func.func @padded(%x: tensor<2x8x9x9xi8>, %p: tensor<1xi32>, %w: tensor<6x8x3x3xui8>) -> tensor<2x6x9x7xi32> {
  // CHECK: %[[ONES:.*]] = graph.splat 1 : i8 -> tensor<1x8x9x3xi8>
  // CHECK: graph.conv %[[ONES]], %w {{.*}} -> tensor<1x6x9x1xi32>
  %0 = graph.cast %x {to = i32} : tensor<2x8x9x9xi8> -> tensor<2x8x9x9xi32>
  %1 = graph.sub %0, %p : (tensor<2x8x9x9xi32>, tensor<1xi32>) -> tensor<2x8x9x9xi32>
  %2 = graph.cast %w {to = i32} : tensor<6x8x3x3xui8> -> tensor<6x8x3x3xi32>
  %y = graph.conv %1, %2 strides [1, 1] padding [1, 0, 1, 0] dilations [1, 1] : (tensor<2x8x9x9xi32>, tensor<6x8x3x3xi32>) -> tensor<2x6x9x7xi32>
  func.return %y : tensor<2x6x9x7xi32>
}
