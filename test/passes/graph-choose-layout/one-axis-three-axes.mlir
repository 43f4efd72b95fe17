// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a | filecheck %s

// One axis, three axes.

// CHECK-LABEL: @axes
// CHECK: graph.transpose %x {permutation = array<i64: 0, 2, 1>}
// CHECK: graph.transpose %y {permutation = array<i64: 0, 2, 3, 4, 1>}
func.func @axes(%x: tensor<1x512x3200xf16>, %y: tensor<1x16x32x32x32xf16>) -> (tensor<1x512x3200xf16>, tensor<1x16x32x32x32xf16>) {
  %w = graph.weight @w : tensor<512x512x3xf16>
  %v = graph.weight @v : tensor<16x16x3x3x3xf16>
  %0 = graph.conv %x, %w strides [1] padding [1, 1] dilations [1] : (tensor<1x512x3200xf16>, tensor<512x512x3xf16>) -> tensor<1x512x3200xf16>
  %1 = graph.conv %y, %v strides [1, 1, 1] padding [1, 1, 1, 1, 1, 1] dilations [1, 1, 1] : (tensor<1x16x32x32x32xf16>, tensor<16x16x3x3x3xf16>) -> tensor<1x16x32x32x32xf16>
  func.return %0, %1 : tensor<1x512x3200xf16>, tensor<1x16x32x32x32xf16>
}
