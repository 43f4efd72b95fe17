// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s

// Threads share rows however short they are: ten classes, not three kernels.

// CHECK:       fused_group.group @g0(%x) :
// CHECK-SAME:    strategy = "row"
// CHECK:         graph.reduce_max
// CHECK:         graph.reduce_sum
// CHECK:         fused_group.yield
// CHECK-NOT:   fused_group.group
func.func @main(%x: tensor<16384x10xf32>) -> tensor<16384x10xf32> {
  %0 = graph.reduce_max %x axes [1] keep_dims : tensor<16384x10xf32> -> tensor<16384x1xf32>
  %1 = graph.sub %x, %0 : (tensor<16384x10xf32>, tensor<16384x1xf32>) -> tensor<16384x10xf32>
  %2 = graph.exp %1 : tensor<16384x10xf32> -> tensor<16384x10xf32>
  %3 = graph.reduce_sum %2 axes [1] keep_dims : tensor<16384x10xf32> -> tensor<16384x1xf32>
  %4 = graph.div %2, %3 : (tensor<16384x10xf32>, tensor<16384x1xf32>) -> tensor<16384x10xf32>
  func.return %4 : tensor<16384x10xf32>
}
