// RUN: dlc-opt --fuse=arch=sm_90a %s | filecheck %s

// Groups of 8 channels are read in pieces of 16 bytes. With the activation in front these would go
// through registers, so it stays with what computes them.
func.func @main(%x: tensor<64x28x28x512xf16>, %v: tensor<256x1x1x512xf16>, %w: tensor<256x3x3x8xf16>) -> tensor<64x28x28x256xf16> {
  %0 = graph.conv %x, %v strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : (tensor<64x28x28x512xf16>, tensor<256x1x1x512xf16>) -> tensor<64x28x28x256xf16>
  %1 = graph.relu %0 : tensor<64x28x28x256xf16> -> tensor<64x28x28x256xf16>
  %2 = graph.conv %1, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 32 layout channels_last weight_layout ohwi : (tensor<64x28x28x256xf16>, tensor<256x3x3x8xf16>) -> tensor<64x28x28x256xf16>
  func.return %2 : tensor<64x28x28x256xf16>
}
// CHECK:      fused_group.group @g0
// CHECK:      graph.conv
// CHECK:      graph.relu
// CHECK:      fused_group.group @g1
// CHECK-NOT:  graph.relu
// CHECK:      graph.conv
// CHECK-SAME: groups 32
