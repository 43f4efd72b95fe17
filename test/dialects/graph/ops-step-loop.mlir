// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2x4xf32>, %b: tensor<3x2x4xf32>, %c: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<3x2x4xf32>) {
  // CHECK-NEXT: %0, %1 = graph.step_loop carry(%a) slice(%b) read(%c) {steps = 3 : i64} : (tensor<2x4xf32>) (tensor<3x2x4xf32>) (tensor<4x4xf32>) -> tensor<2x4xf32>, tensor<3x2x4xf32> {
  // CHECK-NEXT: ^bb0(%h: tensor<2x4xf32>, %part: tensor<2x4xf32>, %m: tensor<4x4xf32>):
  // CHECK-NEXT:   %2 = graph.matmul %h, %m
  // CHECK-NEXT:   %3 = graph.add %2, %part
  // CHECK-NEXT:   graph.yield %3, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  // CHECK-NEXT: }
  %0, %1 = graph.step_loop carry(%a) slice(%b) read(%c) {steps = 3 : i64} : (tensor<2x4xf32>) (tensor<3x2x4xf32>) (tensor<4x4xf32>) -> tensor<2x4xf32>, tensor<3x2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>, %part: tensor<2x4xf32>, %m: tensor<4x4xf32>):
    %2 = graph.matmul %h, %m : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  // CHECK: graph.step_loop carry(%a, %a) slice() read() {steps = 2 : i64, backward} : (tensor<2x4xf32>, tensor<2x4xf32>) () () -> tensor<2x4xf32>, tensor<2x4xf32> {
  %4, %5 = graph.step_loop carry(%a, %a) slice() read() {steps = 2 : i64, backward} : (tensor<2x4xf32>, tensor<2x4xf32>) () () -> tensor<2x4xf32>, tensor<2x4xf32> {
  ^bb0(%p: tensor<2x4xf32>, %q: tensor<2x4xf32>):
    graph.yield %q, %p : tensor<2x4xf32>, tensor<2x4xf32>
  }
  func.return %0, %1 : tensor<2x4xf32>, tensor<3x2x4xf32>
}
