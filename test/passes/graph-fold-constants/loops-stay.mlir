// RUN: dlc-opt %s --graph-fold-constants | filecheck %s

// A loop over constants runs when the model does: what its body reads may be in the weight store only.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop
// CHECK:           graph.tanh
// CHECK:         func.return
func.func @main() -> tensor<4xf32> {
  %a = graph.splat 0.5 : f32 -> tensor<4xf32>
  %0 = graph.step_loop carry(%a) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>):
    %1 = graph.tanh %h : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
