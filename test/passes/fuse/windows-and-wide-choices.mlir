// RUN: dlc-opt %s --fuse | filecheck %s

// Each point of the outer window would compute the inner one again.

// CHECK-LABEL: func.func @windows
// CHECK:       fused_group.group @g0{{.*}}boundaries = ["g1: in stages (a window of a window would be recomputed), one kernel would take at least {{[0-9.e+-]+}} us more"]
func.func @windows(%x: tensor<1x8x16x16xf32>) -> tensor<1x8x12x12xf32> {
  %0 = graph.max_pool %x window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x8x16x16xf32> -> tensor<1x8x14x14xf32>
  %1 = graph.max_pool %0 window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<1x8x14x14xf32> -> tensor<1x8x12x12xf32>
  func.return %1 : tensor<1x8x12x12xf32>
}

// One of 65 tensors is computed; they do not lie one after the other, as the axis is not the first.

// CHECK-LABEL: func.func @choices
// CHECK:       fused_group.group @g2{{.*}}boundaries = ["g3: a choice between more than 64 tensors"]
func.func @choices(%x: tensor<2x2xf32>) -> tensor<2x130xf32> {
  %0 = graph.exp %x : tensor<2x2xf32> -> tensor<2x2xf32>
  %1 = graph.concat %0, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 1 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x130xf32>
  func.return %1 : tensor<2x130xf32>
}
