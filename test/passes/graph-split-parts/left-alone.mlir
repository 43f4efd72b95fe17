// RUN: dlc-opt %s --graph-split-parts | filecheck %s

// CHECK-LABEL: @states_and_parts_of_their_own
// CHECK-NOT: graph.copy
func.func @states_and_parts_of_their_own(%h: tensor<4xf32>, %x: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>, tensor<2x2x2xf32>) {
  %0, %1, %2, %3 = graph.step_loop carry(%h, %h) slice(%x) read() {steps = 2 : i64} : (tensor<4xf32>, tensor<4xf32>) (tensor<2x4xf32>) () -> tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<2x2x2xf32> {
  ^bb0(%s: tensor<4xf32>, %t: tensor<4xf32>, %part: tensor<4xf32>):
    %n = graph.add %s, %part : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %e = graph.exp %t : tensor<4xf32> -> tensor<4xf32>
    %r = graph.reshape %e {sizes = array<i64: 2, 2>} : tensor<4xf32> -> tensor<2x2xf32>
    graph.yield %t, %n, %n, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
  }
  func.return %0, %2, %3 : tensor<4xf32>, tensor<2x4xf32>, tensor<2x2x2xf32>
}
