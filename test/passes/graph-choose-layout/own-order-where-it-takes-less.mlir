// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a --graph-sink-transposes | filecheck %s

// Convolutions to one channel read 24 planes faster than 24 channels at each pixel: by more than what the
// convolution before them loses. All stay as they are.

// CHECK-LABEL: @planes
// CHECK-NOT:   graph.transpose
// CHECK-NOT:   channels_last
func.func @planes(%x: tensor<1x24x512x512xf16>) -> (tensor<1x1x512x512xf16>, tensor<1x1x512x512xf16>, tensor<1x1x512x512xf16>) {
  %w = graph.weight @w : tensor<24x1x3x3xf16>
  %v = graph.weight @v : tensor<1x24x1x1xf16>
  %u = graph.weight @u : tensor<1x24x1x1xf16>
  %t = graph.weight @t : tensor<1x24x1x1xf16>
  %0 = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 24 : (tensor<1x24x512x512xf16>, tensor<24x1x3x3xf16>) -> tensor<1x24x512x512xf16>
  %1 = graph.relu %0 : tensor<1x24x512x512xf16> -> tensor<1x24x512x512xf16>
  %2 = graph.conv %1, %v strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x24x512x512xf16>, tensor<1x24x1x1xf16>) -> tensor<1x1x512x512xf16>
  %3 = graph.conv %1, %u strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x24x512x512xf16>, tensor<1x24x1x1xf16>) -> tensor<1x1x512x512xf16>
  %4 = graph.conv %1, %t strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x24x512x512xf16>, tensor<1x24x1x1xf16>) -> tensor<1x1x512x512xf16>
  func.return %2, %3, %4 : tensor<1x1x512x512xf16>, tensor<1x1x512x512xf16>, tensor<1x1x512x512xf16>
}
