// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// A step of a loop is like any other program; its states keep their order.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%h)
// CHECK-NEXT:    ^bb0(%s: tensor<2x4xf32>):
// CHECK-NEXT:      %[[R:.*]] = graph.relu %s : tensor<2x4xf32>
// CHECK-NEXT:      graph.yield %[[R]]
func.func @main(%h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice() read() {steps = 3 : i64} : (tensor<2x4xf32>) () () -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>):
    %1 = graph.transpose %s {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    %2 = graph.relu %1 : tensor<4x2xf32> -> tensor<4x2xf32>
    %3 = graph.transpose %2 {permutation = array<i64: 1, 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
