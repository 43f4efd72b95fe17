// RUN: dlc-opt %s --fuse | filecheck %s

// CHECK:       fused_group.group @g0
// CHECK-SAME:    boundaries = ["g1: in stages (reductions over different axes), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         graph.reduce_sum %{{.*}} axes [2]
// CHECK:       fused_group.group @g1
// CHECK:         graph.reduce_sum %{{.*}} axes [1]
func.func @main(%x: tensor<8x64x64xf32>) -> tensor<8xf32> {
  %0 = graph.reduce_sum %x axes [2] : tensor<8x64x64xf32> -> tensor<8x64xf32>
  %1 = graph.reduce_sum %0 axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
