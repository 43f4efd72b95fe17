// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// A product of a state, and elementwise ops of a part: they cost nothing in the kernel of a step.
// CHECK-LABEL: @state
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%x) read(%u)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.tanh
// CHECK-NEXT:      graph.matmul
func.func @state(%h: tensor<2x4xf32>, %x: tensor<20x2x4xf32>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%u) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x4xf32>) (tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x4xf32>, %n: tensor<4x4xf32>):
    %1 = graph.tanh %part : tensor<2x4xf32> -> tensor<2x4xf32>
    %2 = graph.matmul %s, %n : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// A lookup in another table in each step has no form for all steps.
// CHECK-LABEL: @no_form
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%i, %x) read(%w)
func.func @no_form(%h: tensor<2x4xf32>, %i: tensor<20x8xi64>, %x: tensor<20x2x9xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%i, %x) read(%w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x8xi64>, tensor<20x2x9xf32>) (tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<8xi64>, %t: tensor<2x9xf32>, %m: tensor<8x4xf32>):
    %1 = graph.gather %t, %part {axis = 1 : i64} : (tensor<2x9xf32>, tensor<8xi64>) -> tensor<2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// A product that is the same in all steps has no axis of steps.
// CHECK-LABEL: @same
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%x) read(%v, %w)
func.func @same(%h: tensor<2x4xf32>, %x: tensor<20x2x4xf32>, %v: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%v, %w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x4xf32>) (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x4xf32>, %a: tensor<2x8xf32>, %m: tensor<8x4xf32>):
    %1 = graph.matmul %a, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %2 = graph.add %1, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
