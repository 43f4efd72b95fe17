// RUN: dlc-opt %s --graph-split-concatenations | filecheck %s

// A weight that changes from step to step has no rows before the loop.
// CHECK-LABEL: @weights_of_each_step
// CHECK:           graph.concat %s, %a
// CHECK-NEXT:      graph.matmul %{{.*}}, %m
func.func @weights_of_each_step(%h: tensor<2x4xf32>, %x: tensor<3x2x4xf32>, %w: tensor<3x8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x, %w) read() {steps = 3 : i64} : (tensor<2x4xf32>) (tensor<3x2x4xf32>, tensor<3x8x4xf32>) () -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %a: tensor<2x4xf32>, %m: tensor<8x4xf32>):
    %1 = graph.concat %s, %a {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    graph.yield %2 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
