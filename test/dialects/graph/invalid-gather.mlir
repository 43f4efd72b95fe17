// RUN: %invalid

func.func @float_indices(%a: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error@below {{indices must be integers, not f32}}
  %0 = graph.gather %a, %i {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @no_such_axis(%a: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error@below {{axis 1 is outside a tensor of 1 axes}}
  %0 = graph.gather %a, %i {axis = 1 : i64} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

func.func @more_indices_than_axes(%a: tensor<4xf32>, %i: tensor<3x2xi64>) {
  // expected-error@below {{0 batch axes and 2 indices do not fit data of 1 axes}}
  %0 = graph.gather_nd %a, %i {batch_axes = 0 : i64} : (tensor<4xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  func.return
}

// -----

func.func @updates_of_another_shape(%a: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error@below {{updates have shape [3], should have [2]}}
  %0 = graph.scatter_elements %a, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @unknown_reduction(%a: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error@below {{reduction 'mean' is}}
  %0 = graph.scatter_elements %a, %i, %u {axis = 0 : i64, reduction = "mean"} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @grid_of_another_rank(%x: tensor<1x3x8x8xf32>, %grid: tensor<1x4x5x3xf32>) {
  // expected-error@below {{a grid of [1, 4, 5, 3] does not fit a tensor of [1, 3, 8, 8]}}
  %0 = graph.grid_sample %x, %grid {mode = "linear", padding = "zeros"} : (tensor<1x3x8x8xf32>, tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  func.return
}

// -----

func.func @nothing_to_choose_from(%a: tensor<0xf32>, %i: tensor<2xi64>) {
  // expected-error@below {{operand 0 has no elements to choose from}}
  %0 = graph.gather %a, %i {axis = 0 : i64} : (tensor<0xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

func.func @two_axes_of_one_line(%x: tensor<4x4xf32>, %w: tensor<2x2xf32>) {
  // expected-error@below {{each axis needs weights, a size and three numbers of its line}}
  %0 = graph.resample %x weights %w {axes = array<i64: 0, 1>, sizes = array<i64: 8, 8>, lines = array<i64: 2, -2, 4>} : tensor<4x4xf32>, tensor<2x2xf32> -> tensor<8x8xf32>
  func.return
}

// -----

func.func @weights_of_a_row(%x: tensor<4xf32>, %w: tensor<2xf32>) {
  // expected-error@below {{weights need two axes}}
  %0 = graph.resample %x weights %w {axes = array<i64: 0>, sizes = array<i64: 8>, lines = array<i64: 2, -2, 4>} : tensor<4xf32>, tensor<2xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @weights_of_another_type(%x: tensor<4xf32>, %w: tensor<2x2xf16>) {
  // expected-error@below {{needs floats of one type, got f32, f16}}
  %0 = graph.resample %x weights %w {axes = array<i64: 0>, sizes = array<i64: 8>, lines = array<i64: 2, -2, 4>} : tensor<4xf32>, tensor<2x2xf16> -> tensor<8xf32>
  func.return
}

// -----

func.func @line_without_divisor(%x: tensor<4xf32>, %w: tensor<2x2xf32>) {
  // expected-error@below {{the line of axis 0 has no positive divisor}}
  %0 = graph.resample %x weights %w {axes = array<i64: 0>, sizes = array<i64: 8>, lines = array<i64: 2, -2, 0>} : tensor<4xf32>, tensor<2x2xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @an_axis_twice(%x: tensor<4x4xf32>, %w: tensor<2x2xf32>) {
  // expected-error@below {{an axis is resized once; each axis should be another one}}
  %0 = graph.resample %x weights %w, %w {axes = array<i64: 1, 1>, sizes = array<i64: 8, 8>, lines = array<i64: 2, -2, 4, 2, -2, 4>} : tensor<4x4xf32>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<4x8xf32>
  func.return
}
