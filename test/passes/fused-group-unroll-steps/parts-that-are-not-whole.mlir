// RUN: dlc-opt %s --fused-group-unroll-steps --split-input-file --verify-diagnostics

func.func @given_twice(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // expected-error@below {{part 1 of a step is not all that a group of its own computes}}
  %0, %1 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x4xf32>) () -> tensor<2x4xf32>, tensor<2x4xf32> {
  ^bb0(%part: tensor<4xf32>):
    %2 = fused_group.group @g0(%part) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%a: tensor<4xf32>):
      %3 = graph.tanh %a : tensor<4xf32> -> tensor<4xf32>
      fused_group.yield %3 : tensor<4xf32>
    }
    graph.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

func.func @the_state_before(%h: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{part 0 of a step is not all that a group of its own computes}}
  %0, %1 = graph.step_loop carry(%h) slice() read() {steps = 2 : i64} : (tensor<4xf32>) () () -> tensor<4xf32>, tensor<2x4xf32> {
  ^bb0(%s: tensor<4xf32>):
    graph.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  }
  func.return %1 : tensor<2x4xf32>
}

// -----

func.func @half_of_a_group(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{part 0 of a step is not all that a group of its own computes}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x8xf32>) () -> tensor<2x4xf32> {
  ^bb0(%part: tensor<8xf32>):
    %1 = fused_group.group @g0(%part) : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb1(%a: tensor<8xf32>):
      %2 = graph.tanh %a : tensor<8xf32> -> tensor<8xf32>
      fused_group.yield %2 : tensor<8xf32>
    }
    %3 = graph.slice %1 {starts = array<i64: 0>, stops = array<i64: 4>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
