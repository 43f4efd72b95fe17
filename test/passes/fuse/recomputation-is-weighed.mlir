// RUN: dlc-opt %s --fuse | filecheck %s

// Pooling may compute the cheap relu anew in every window, but not the large exponential.

// CHECK-LABEL: func.func @cheap
// CHECK:       fused_group.group @g0
// CHECK:         graph.relu
// CHECK-NEXT:    graph.max_pool
// CHECK-LABEL: func.func @dear
// CHECK:       fused_group.group @g1
// CHECK-SAME:    boundaries = ["g2: one kernel would take {{[0-9.e+]+}} us more"]
// CHECK:         graph.exp
// CHECK:       fused_group.group @g2
// CHECK:         graph.max_pool
func.func @cheap(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x14x14xf32> {
  %0 = graph.relu %x : tensor<1x8x16x16xf32> -> tensor<1x8x16x16xf32>
  %1 = graph.max_pool %0 window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x8x16x16xf32> -> tensor<1x8x14x14xf32>
  func.return %1 : tensor<1x8x14x14xf32>
}
func.func @dear(%x: tensor<64x64x256x256xf32>) -> tensor<64x64x242x242xf32> {
  %0 = graph.exp %x : tensor<64x64x256x256xf32> -> tensor<64x64x256x256xf32>
  %1 = graph.max_pool %0 window [15, 15] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<64x64x256x256xf32> -> tensor<64x64x242x242xf32>
  func.return %1 : tensor<64x64x242x242xf32>
}
