// RUN: %invalid

func.func @inner_sizes_differ(%a: tensor<3x4xf32>) {
  // expected-error@below {{the inner sizes 4 and 3 differ}}
  %0 = graph.matmul %a, %a : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

func.func @only_narrow_integers_mix(%a: tensor<3x4xi8>, %b: tensor<4x5xi32>) {
  // expected-error@below {{the factors have different element types}}
  %0 = graph.matmul %a, %b : (tensor<3x4xi8>, tensor<4x5xi32>) -> tensor<3x5xi32>
  func.return
}

// -----

func.func @narrow_integers_add_up_wide(%a: tensor<4x4xi8>) {
  // expected-error@below {{result 0 should be tensor<4x4xi32>, is tensor<4x4xi8>}}
  %0 = graph.matmul %a, %a : (tensor<4x4xi8>, tensor<4x4xi8>) -> tensor<4x4xi8>
  func.return
}

// -----

func.func @channels_do_not_fit(%a: tensor<1x4x8x8xf32>, %w: tensor<6x3x3x3xf32>) {
  // expected-error@below {{the data has 4 channels, the weight is for 1 x 3}}
  %0 = graph.conv %a, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

func.func @outputs_do_not_divide(%a: tensor<1x4x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  // expected-error@below {{5 output channels do not divide into 2 groups}}
  %0 = graph.conv %a, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 2 : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x6x6xf32>
  func.return
}

// -----

func.func @window_too_large(%a: tensor<1x4x8x8xf32>, %w: tensor<6x4x9x3xf32>) {
  // expected-error@below {{a window of 9 elements does not fit in an axis of 8 with padding 0 and 0}}
  %0 = graph.conv %a, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x9x3xf32>) -> tensor<1x6x1x6xf32>
  func.return
}

// -----

func.func @too_few_paddings(%a: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@below {{2 window axes need as many strides and dilations and twice as many paddings, got 2, 2 and 2}}
  %0 = graph.conv %a, %w strides [1, 1] padding [0, 0] dilations [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

func.func @cut_off_altogether(%a: tensor<1x1x2xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error@below {{an axis of 2 elements would have 0 elements}}
  %0 = graph.conv_transpose %a, %w strides [1] padding [2, 2] dilations [1] growth [0] : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x0xf32>
  func.return
}

// -----

func.func @keys_without_values(%q: tensor<4x8xf32>, %v: tensor<5x8xf32>) {
  // expected-error@below {{query [4, 8], key [4, 8] and value [5, 8] do not fit together}}
  %0 = graph.attention %q, %q, %v scale 1.0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @neighbours_of_another_number(%a: tensor<6x3x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error@below {{shared 2 needs batch axes whose last has 2 times as many places in the lhs, at least 2, not [6] and [2]}}
  %0 = graph.matmul %a, %b shared 2 : (tensor<6x3x4xf32>, tensor<2x4x5xf32>) -> tensor<6x3x5xf32>
  func.return
}

// -----

func.func @no_batch_to_share(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error@below {{shared 2 needs batch axes whose last has 2 times as many places in the lhs, at least 2, not [] and []}}
  %0 = graph.matmul %a, %b shared 2 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  func.return
}
