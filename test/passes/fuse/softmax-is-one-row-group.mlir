// RUN: dlc-opt %s --fuse | filecheck %s

// Reductions over the same axes and the elementwise ops around them make one group.

// CHECK:       fused_group.group @g0(%x, %mask) :
// CHECK:         graph.add
// CHECK-NEXT:    graph.reduce_max
// CHECK-NEXT:    graph.sub
// CHECK-NEXT:    graph.exp
// CHECK-NEXT:    graph.reduce_sum
// CHECK-NEXT:    graph.div
// CHECK-NEXT:    fused_group.yield
// CHECK-NOT:   fused_group.group
func.func @main(%x: tensor<8x128x128xf32>, %mask: tensor<128xf32>) -> tensor<8x128x128xf32> {
  %0 = graph.add %x, %mask : (tensor<8x128x128xf32>, tensor<128xf32>) -> tensor<8x128x128xf32>
  %1 = graph.reduce_max %0 axes [2] keep_dims : tensor<8x128x128xf32> -> tensor<8x128x1xf32>
  %2 = graph.sub %0, %1 : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  %3 = graph.exp %2 : tensor<8x128x128xf32> -> tensor<8x128x128xf32>
  %4 = graph.reduce_sum %3 axes [2] keep_dims : tensor<8x128x128xf32> -> tensor<8x128x1xf32>
  %5 = graph.div %3, %4 : (tensor<8x128x128xf32>, tensor<8x128x1xf32>) -> tensor<8x128x128xf32>
  func.return %5 : tensor<8x128x128xf32>
}
