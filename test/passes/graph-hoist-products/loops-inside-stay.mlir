// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// What a loop inside makes of what all steps read is the same in all of them, but a loop has no form before the loop.
// CHECK-LABEL: @inside
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%x)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.step_loop
func.func @inside(%h: tensor<2x4xf32>, %x: tensor<20x2x4xf32>, %y: tensor<40x2x4xf32>, %g: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%y, %g, %w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x4xf32>) (tensor<40x2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x4xf32>, %b: tensor<40x2x4xf32>, %a: tensor<2x4xf32>, %m: tensor<4x4xf32>):
    %1 = graph.step_loop carry(%a) slice(%b) read() {steps = 40 : i64} : (tensor<2x4xf32>) (tensor<40x2x4xf32>) () -> tensor<2x4xf32> {
    ^bb1(%t: tensor<2x4xf32>, %p: tensor<2x4xf32>):
      %5 = graph.add %t, %p : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      graph.yield %5 : tensor<2x4xf32>
    }
    %2 = graph.mul %1, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = graph.matmul %2, %m : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %4 = graph.add %3, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %4 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
