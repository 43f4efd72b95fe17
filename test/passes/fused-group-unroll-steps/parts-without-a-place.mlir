// RUN: dlc-opt %s --fused-group-unroll-steps --split-input-file --verify-diagnostics

func.func @between_multiples(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{a step's part of tensor<2x3xf32> does not begin at a multiple of 16 bytes; pad it, and cut it behind the loop}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x3xf32>) () -> tensor<2x4xf32> {
  ^bb0(%part: tensor<3xf32>):
    %1 = fused_group.group @g0(%part) : (tensor<3xf32>) -> tensor<4xf32> {
    ^bb1(%a: tensor<3xf32>):
      %2 = graph.pad %a {low = array<i64: 0>, high = array<i64: 1>, mode = "constant", value = 0.0 : f32} : tensor<3xf32> -> tensor<4xf32>
      fused_group.yield %2 : tensor<4xf32>
    }
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// -----

func.func @result_between_multiples(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  // expected-error@below {{a step's part of tensor<2x3xf32> does not begin at a multiple of 16 bytes}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x4xf32>) () -> tensor<2x3xf32> {
  ^bb0(%part: tensor<4xf32>):
    %1 = fused_group.group @g0(%part) : (tensor<4xf32>) -> tensor<3xf32> {
    ^bb1(%a: tensor<4xf32>):
      %2 = graph.slice %a {starts = array<i64: 1>, stops = array<i64: 4>, steps = array<i64: 1>} : tensor<4xf32> -> tensor<3xf32>
      fused_group.yield %2 : tensor<3xf32>
    }
    graph.yield %1 : tensor<3xf32>
  }
  func.return %0 : tensor<2x3xf32>
}
