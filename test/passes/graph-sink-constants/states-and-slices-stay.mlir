// RUN: dlc-opt %s --graph-sink-constants | filecheck %s

// A constant that changes from step to step, by what the steps compute or by their number, stays outside.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%zero) slice(%x) read()
// CHECK-NEXT:    ^bb0(%h: tensor<4xf32>, %part: tensor<4xf32>):
// CHECK-NEXT:      graph.add %h, %part
func.func @main() -> (tensor<4xf32>) {
  %zero = graph.splat 0.0 : f32 -> tensor<4xf32>
  %x = graph.weight @x : tensor<3x4xf32>
  %0 = graph.step_loop carry(%zero) slice(%x) read() {steps = 3 : i64} : (tensor<4xf32>) (tensor<3x4xf32>) () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>, %part: tensor<4xf32>):
    %1 = graph.add %h, %part : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
