// RUN: %invalid

func.func @other_state(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{yielded state 0 is tensor<4x2xf32>, should be tensor<2x4xf32>}}
  %0 = graph.step_loop carry(%a) slice() read() {steps = 3 : i64} : (tensor<2x4xf32>) () () -> tensor<2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>):
    %1 = graph.transpose %h {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
    graph.yield %1 : tensor<4x2xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// -----

func.func @fewer_parts(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  // expected-error@below {{sliced operand 0 is not 3 parts}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 3 : i64} : () (tensor<2x4xf32>) () -> tensor<3x4xf32> {
  ^bb0(%part: tensor<4xf32>):
    %1 = graph.relu %part : tensor<4xf32> -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<3x4xf32>
}

// -----

func.func @argument_of_another_type(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error@below {{argument 0 is tensor<3x4xf32>, should be tensor<4xf32>}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 3 : i64} : () (tensor<3x4xf32>) () -> tensor<3x4xf32> {
  ^bb0(%part: tensor<3x4xf32>):
    graph.yield %part : tensor<3x4xf32>
  }
  func.return %0 : tensor<3x4xf32>
}

// -----

func.func @argument_too_many(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error@below {{there are 2 arguments, should be 1}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 3 : i64} : () (tensor<3x4xf32>) () -> tensor<3x4xf32> {
  ^bb0(%part: tensor<4xf32>, %more: tensor<4xf32>):
    graph.yield %part : tensor<4xf32>
  }
  func.return %0 : tensor<3x4xf32>
}

// -----

func.func @state_that_is_not_yielded(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{there are 0 yielded states, should be 1}}
  %0 = graph.step_loop carry(%a) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>):
    "graph.yield"() : () -> ()
  }
  func.return %0 : tensor<4xf32>
}

// -----

func.func @other_result(%x: tensor<3x4xf32>) -> tensor<4xf32> {
  // expected-error@below {{result 0 should be tensor<3x4xf32>, is tensor<4xf32>}}
  %0 = graph.step_loop carry() slice(%x) read() {steps = 3 : i64} : () (tensor<3x4xf32>) () -> tensor<4xf32> {
  ^bb0(%part: tensor<4xf32>):
    graph.yield %part : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// -----

func.func @no_steps(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{a loop has at least one step}}
  %0 = graph.step_loop carry(%a) slice() read() {steps = 0 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>):
    graph.yield %h : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// -----

func.func @no_yield(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{a block of its region does not end in a terminator}}
  // expected-error@below {{a step ends with graph.yield}}
  %0 = graph.step_loop carry(%a) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>):
    %1 = graph.relu %h : tensor<4xf32> -> tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
