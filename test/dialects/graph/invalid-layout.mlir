// RUN: %invalid

func.func @elements_lost(%a: tensor<2x3xf32>) {
  // expected-error@below {{6 elements of shape [2, 3] do not fill the shape [4]}}
  %0 = graph.reshape %a {sizes = array<i64: 4>} : tensor<2x3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @axis_twice(%a: tensor<2x3xf32>) {
  // expected-error@below {{[0, 0] is no permutation of 2 axes}}
  %0 = graph.transpose %a {permutation = array<i64: 0, 0>} : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @step_is_zero(%a: tensor<2xf32>) {
  // expected-error@below {{a step must not be 0}}
  %0 = graph.slice %a {starts = array<i64: 0>, stops = array<i64: 2>, steps = array<i64: 0>} : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @sizes_differ(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{the operands have sizes [3, 4] along axis 1}}
  %0 = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @cut_too_much(%a: tensor<2xf32>) {
  // expected-error@below {{3 elements cut off an axis of 2}}
  %0 = graph.pad %a {low = array<i64: -1>, high = array<i64: -2>, mode = "edge"} : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @no_value(%a: tensor<2xf32>) {
  // expected-error@below {{a value is for mode constant, which needs one}}
  %0 = graph.pad %a {low = array<i64: 1>, high = array<i64: 0>, mode = "constant"} : tensor<2xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @repeats_missing(%a: tensor<2x3xf32>) {
  // expected-error@below {{repeats [2] do not fit 2 axes}}
  %0 = graph.tile %a {repeats = array<i64: 2>} : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}
