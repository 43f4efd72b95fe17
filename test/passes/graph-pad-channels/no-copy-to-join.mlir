// RUN: dlc-opt %s --graph-pad-channels=arch=sm_90a | filecheck %s
// CHECK-NOT: graph.pad

// The image lies as it should: padding it would be a copy that is not made now.
func.func @lies_right(%x: tensor<64x224x224x3xf16>) -> tensor<64x112x112x64xf16> {
  %w = graph.weight @w : tensor<64x7x7x3xf16>
  %y = graph.conv %x, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<64x7x7x3xf16>) -> tensor<64x112x112x64xf16>
  func.return %y : tensor<64x112x112x64xf16>
}

// Another reader needs the image as it is.
func.func @two_readers(%x: tensor<64x3x224x224xf16>) -> (tensor<64x112x112x64xf16>, tensor<64x224x224x3xf16>) {
  %w = graph.weight @w : tensor<64x7x7x3xf16>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf16> -> tensor<64x224x224x3xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<64x7x7x3xf16>) -> tensor<64x112x112x64xf16>
  func.return %y, %t : tensor<64x112x112x64xf16>, tensor<64x224x224x3xf16>
}

// A weight that is not known would be padded at run time.
func.func @no_weight(%x: tensor<64x3x224x224xf16>, %w: tensor<64x7x7x3xf16>) -> tensor<64x112x112x64xf16> {
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf16> -> tensor<64x224x224x3xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<64x7x7x3xf16>) -> tensor<64x112x112x64xf16>
  func.return %y : tensor<64x112x112x64xf16>
}

// Channels of groups are not those of the image.
func.func @groups(%x: tensor<64x3x224x224xf16>) -> tensor<64x112x112x48xf16> {
  %w = graph.weight @d : tensor<48x7x7x1xf16>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf16> -> tensor<64x224x224x3xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] groups 3 layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<48x7x7x1xf16>) -> tensor<64x112x112x48xf16>
  func.return %y : tensor<64x112x112x48xf16>
}
