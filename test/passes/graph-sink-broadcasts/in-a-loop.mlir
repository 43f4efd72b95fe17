// RUN: dlc-opt %s --graph-sink-broadcasts | filecheck %s

// A step of a loop is like any other program; its states keep their sizes.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%h)
// CHECK-NEXT:    ^bb0(%s: tensor<2x4xf32>, %part: tensor<4xf32>):
// CHECK-NEXT:      %[[A:.*]] = graph.add %s, %part
// CHECK-NEXT:      graph.yield %[[A]]
func.func @main(%h: tensor<2x4xf32>, %x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read() {steps = 3 : i64} : (tensor<2x4xf32>) (tensor<3x4xf32>) () -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<4xf32>):
    %1 = graph.broadcast %part {sizes = array<i64: 2, 4>} : tensor<4xf32> -> tensor<2x4xf32>
    %2 = graph.add %s, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %2 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
