// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s

// By the model it takes equally long to compute the activation after the convolution, or before the pooling, where
// every window computes it again.

// CHECK: fused_group.group @g0
// CHECK:   graph.conv
// CHECK-NEXT: graph.relu
// CHECK: fused_group.group @g1
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.max_pool
func.func @main(%x: tensor<1x112x112x64xf16>, %w: tensor<128x3x3x64xf16>) -> tensor<1x56x56x128xf16> {
  %0 = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<1x112x112x64xf16>, tensor<128x3x3x64xf16>) -> tensor<1x112x112x128xf16>
  %1 = graph.relu %0 : tensor<1x112x112x128xf16> -> tensor<1x112x112x128xf16>
  %2 = graph.max_pool %1 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] layout channels_last : tensor<1x112x112x128xf16> -> tensor<1x56x56x128xf16>
  func.return %2 : tensor<1x56x56x128xf16>
}
