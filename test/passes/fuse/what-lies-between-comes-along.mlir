// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// The last division can share a kernel with the difference only together with what lies between; these small ops save
// next to nothing alone.

// CHECK:     fused_group.group @g0
// CHECK:       graph.reduce_mean
// CHECK-NEXT:  graph.sub
// CHECK-NEXT:  graph.mul
// CHECK-NEXT:  graph.reduce_mean
// CHECK-NEXT:  graph.sqrt
// CHECK-NEXT:  graph.tanh
// CHECK-NEXT:  graph.div
// CHECK-NEXT:  fused_group.yield
// CHECK:     fused_group.group @g1
// CHECK-NEXT: ^bb0
// CHECK-NEXT:  graph.matmul
func.func @main(%x: tensor<197x768xf32>, %w: tensor<768x768xf32>) -> tensor<197x768xf32> {
  %0 = graph.reduce_mean %x axes [1] keep_dims : tensor<197x768xf32> -> tensor<197x1xf32>
  %1 = graph.sub %x, %0 : (tensor<197x768xf32>, tensor<197x1xf32>) -> tensor<197x768xf32>
  %2 = graph.mul %1, %1 : (tensor<197x768xf32>, tensor<197x768xf32>) -> tensor<197x768xf32>
  %3 = graph.reduce_mean %2 axes [1] keep_dims : tensor<197x768xf32> -> tensor<197x1xf32>
  %4 = graph.sqrt %3 : tensor<197x1xf32> -> tensor<197x1xf32>
  %5 = graph.tanh %4 : tensor<197x1xf32> -> tensor<197x1xf32>
  %6 = graph.div %1, %5 : (tensor<197x768xf32>, tensor<197x1xf32>) -> tensor<197x768xf32>
  %7 = graph.matmul %6, %w : (tensor<197x768xf32>, tensor<768x768xf32>) -> tensor<197x768xf32>
  func.return %7 : tensor<197x768xf32>
}
