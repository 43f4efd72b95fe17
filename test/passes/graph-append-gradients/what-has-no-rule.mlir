// RUN: dlc-opt %s --graph-append-gradients | filecheck %s

// Behind an op without a rule the gradient is one more input, so that the ops before it have theirs.
// A composite op without a rule is taken apart; one with a rule stays.

// CHECK:      func.func @main(%x: {{.*}}, %[[W:.*]]: {{.*}} {graph.name = "w"}, %[[D:.*]]: {{.*}} {graph.name = "gradient of output0"}, %[[G:.*]]: tensor<2x4xf32> {graph.name = "gradient of an operand of graph.reduce_prod"})
// CHECK:      graph.softmax
// CHECK-NOT:  graph.layer_norm
// CHECK:      graph.reduce_prod
// CHECK-NOT:  %[[D]]
// CHECK:      %[[DS:.*]] = graph.mul %[[G]], %{{.*}}
// CHECK:      func.return
func.func @main(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2xf32> {
  %w = graph.weight @w : tensor<4x4xf32>
  %0 = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = graph.softmax %0 axis 1 : tensor<2x4xf32> -> tensor<2x4xf32>
  %2 = graph.layer_norm %1 scale %s axis 1 epsilon 1.0e-05 : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
  %3 = graph.reduce_prod %2 axes [1] : tensor<2x4xf32> -> tensor<2xf32>
  func.return %3 : tensor<2xf32>
}
