// RUN: dlc-opt %s --graph-pad-channels=arch=sm_90a | filecheck %s
// RUN: dlc-opt %S/image.mlir --graph-pad-channels=arch=cpu-avx2 | filecheck %s
// RUN: dlc-opt %S/image.mlir --graph-pad-channels=arch=v100 | filecheck %s
// CHECK-NOT: graph.pad

// Four bytes are one copy already.
func.func @floats(%x: tensor<64x3x224x224xf32>) -> tensor<64x112x112x64xf32> {
  %w = graph.weight @w : tensor<64x7x7x3xf32>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf32> -> tensor<64x224x224x3xf32>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf32>, tensor<64x7x7x3xf32>) -> tensor<64x112x112x64xf32>
  func.return %y : tensor<64x112x112x64xf32>
}

// So is a row of a patch, whose places follow each other.
func.func @patches(%x: tensor<64x3x224x224xf16>) -> tensor<64x14x14x768xf16> {
  %w = graph.weight @p : tensor<768x16x16x3xf16>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x3x224x224xf16> -> tensor<64x224x224x3xf16>
  %y = graph.conv %t, %w strides [16, 16] padding [0, 0, 0, 0] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x3xf16>, tensor<768x16x16x3xf16>) -> tensor<64x14x14x768xf16>
  func.return %y : tensor<64x14x14x768xf16>
}

// One channel would become four; five are three from eight.
func.func @too_much(%x: tensor<64x1x224x224xf16>, %z: tensor<64x5x224x224xf16>) -> (tensor<64x112x112x64xf16>, tensor<64x112x112x64xf16>) {
  %w = graph.weight @g : tensor<64x7x7x1xf16>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x1x224x224xf16> -> tensor<64x224x224x1xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x1xf16>, tensor<64x7x7x1xf16>) -> tensor<64x112x112x64xf16>
  %v = graph.weight @v : tensor<64x7x7x5xf16>
  %s = graph.transpose %z {permutation = array<i64: 0, 2, 3, 1>} : tensor<64x5x224x224xf16> -> tensor<64x224x224x5xf16>
  %u = graph.conv %s, %v strides [2, 2] padding [3, 3, 3, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x224x224x5xf16>, tensor<64x7x7x5xf16>) -> tensor<64x112x112x64xf16>
  func.return %y, %u : tensor<64x112x112x64xf16>, tensor<64x112x112x64xf16>
}

// Two kernels take longer than one here.
func.func @small(%x: tensor<1x3x8x8xf16>) -> tensor<1x4x4x64xf16> {
  %w = graph.weight @s : tensor<64x3x3x3xf16>
  %t = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x8x8xf16> -> tensor<1x8x8x3xf16>
  %y = graph.conv %t, %w strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<1x8x8x3xf16>, tensor<64x3x3x3xf16>) -> tensor<1x4x4x64xf16>
  func.return %y : tensor<1x4x4x64xf16>
}
