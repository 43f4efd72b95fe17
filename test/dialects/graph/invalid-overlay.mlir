// RUN: %invalid

func.func @axis(%a: tensor<2x3xf32>) {
  // expected-error@below {{axis 2 is outside a tensor of 2 axes}}
  %0 = graph.overlay %a {axis = 2 : i64, size = 8 : i64, starts = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @starts(%a: tensor<2x3xf32>) {
  // expected-error@below {{needs at least one operand, and a start for each}}
  %0 = graph.overlay %a {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} : (tensor<2x3xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @other_axes(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@below {{tensor<3x3xf32> is no part of tensor<2x8xf32> along axis 1}}
  %0 = graph.overlay %a, %b {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @element(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error@below {{tensor<2x3xf16> is no part of tensor<2x8xf32> along axis 1}}
  %0 = graph.overlay %a, %b {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @outside(%a: tensor<2x3xf32>) {
  // expected-error@below {{places 6 to 9 are not all in tensor<2x8xf32>}}
  %0 = graph.overlay %a {axis = 1 : i64, size = 8 : i64, starts = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<2x8xf32>
  func.return
}
