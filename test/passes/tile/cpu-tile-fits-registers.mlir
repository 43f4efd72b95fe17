// RUN: dlc-opt %s --fuse=arch=cpu-avx2 --tile=arch=cpu-avx2 | filecheck %s

// 16 vector registers of 8 lanes: 6 x 2 accumulators, 2 loads, 1 broadcast.

// CHECK:      tile = [6, 16], lanes = 8
// CHECK:      tile = [6, 16], lanes = 8
func.func @main(%x: tensor<384x768xf32>, %w: tensor<768x768xf32>, %i: tensor<1x64x48x48xf32>, %f: tensor<96x64x3x3xf32>) -> (tensor<384x768xf32>, tensor<1x96x48x48xf32>) {
  %0 = graph.matmul %x, %w : (tensor<384x768xf32>, tensor<768x768xf32>) -> tensor<384x768xf32>
  %1 = graph.conv %i, %f strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<1x64x48x48xf32>, tensor<96x64x3x3xf32>) -> tensor<1x96x48x48xf32>
  func.return %0, %1 : tensor<384x768xf32>, tensor<1x96x48x48xf32>
}
