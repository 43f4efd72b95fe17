// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s

// Each of the nine taps would choose between the two tensors again.

// CHECK: fused_group.group @g0{{.*}}boundaries = ["g1: {{.*}}a choice between tensors at every point of a window{{.*}}"]
// CHECK: graph.concat
// CHECK: fused_group.group @g1
// CHECK: graph.max_pool
func.func @main(%x: tensor<1x8x8x64xf32>, %y: tensor<1x8x8x32xf32>) -> tensor<1x8x8x96xf32> {
  %0 = graph.concat %x, %y {axis = 3 : i64} : (tensor<1x8x8x64xf32>, tensor<1x8x8x32xf32>) -> tensor<1x8x8x96xf32>
  %1 = graph.max_pool %0 window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : tensor<1x8x8x96xf32> -> tensor<1x8x8x96xf32>
  func.return %1 : tensor<1x8x8x96xf32>
}
