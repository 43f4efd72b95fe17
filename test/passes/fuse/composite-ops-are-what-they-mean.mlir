// RUN: dlc-opt %s --fuse | filecheck %s
// RUN: dlc-opt %s --graph-decompose --fuse | filecheck %s

// CHECK:      fused_group.group @g0
// CHECK-NOT:  graph.softmax
// CHECK:      graph.reduce_max
// CHECK:      graph.exp
// CHECK:      graph.reduce_sum
// CHECK:      graph.div
// CHECK:      fused_group.yield
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
