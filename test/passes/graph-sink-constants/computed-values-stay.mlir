// RUN: dlc-opt %s --graph-sink-constants | filecheck %s

// What an op computes from an argument of the function is computed once, before the loop.
// CHECK-LABEL: @main
// CHECK:         %[[R:.*]] = graph.relu %b
// CHECK-NEXT:    graph.step_loop carry(%a) slice() read(%[[R]])
// CHECK-NEXT:    ^bb0(%h: tensor<4xf32>, %c: tensor<4xf32>):
// CHECK-NEXT:      graph.add %h, %c
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.relu %b : tensor<4xf32> -> tensor<4xf32>
  %0 = graph.step_loop carry(%a) slice() read(%r) {steps = 3 : i64} : (tensor<4xf32>) () (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>, %c: tensor<4xf32>):
    %1 = graph.add %h, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
