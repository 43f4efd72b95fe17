// RUN: dlc-opt %s --graph-pad-channels=arch=sm_90a | filecheck %s

// The kernel that transposes the image writes a fourth channel; the weight is padded at compile time.
// CHECK-LABEL: @halves
// CHECK:      %[[X:.*]] = graph.transpose
// CHECK:      %[[P:.*]] = graph.pad %[[X]] {{.*}} high = array<i64: 0, 0, 0, 1>} : tensor<64x224x224x3xf16> -> tensor<64x224x224x4xf16>
// CHECK-NEXT: %[[Q:.*]] = graph.pad %w {{.*}} : tensor<64x7x7x3xf16> -> tensor<64x7x7x4xf16>
// CHECK-NEXT: graph.conv %[[P]], %[[Q]] strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi
func.func @halves(%x: tensor<64x3x224x224xf32>) -> tensor<64x112x112x64xf16> {
  %w = graph.weight @w : tensor<64x7x7x3xf16>
  %c = graph.cast %x {to = f16} : tensor<64x3x224x224xf32> -> tensor<64x3x224x224xf16>
  %t = graph.transpose %c {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf16> -> tensor<64x224x224x3xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<64x7x7x3xf16>) -> tensor<64x112x112x64xf16>
  func.return %y : tensor<64x112x112x64xf16>
}
