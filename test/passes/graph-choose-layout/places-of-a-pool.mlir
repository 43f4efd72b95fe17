// RUN: dlc-opt %s --graph-choose-layout=arch=sm_90a | filecheck %s

// The places of a pool's largest elements are numbered with the channels first: it does not follow its convolution.

// CHECK-LABEL: @places
// CHECK:      %[[Y:.*]] = graph.conv %x, %w
// CHECK-NEXT: graph.max_pool_index %[[Y]]
func.func @places(%x: tensor<1x64x56x56xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x64x28x28xi64> {
  %0 = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x56x56xf16>
  %1 = graph.max_pool_index %0 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x64x56x56xf16> -> tensor<1x64x28x28xi64>
  func.return %1 : tensor<1x64x28x28xi64>
}
