// RUN: %invalid

func.func @softmax_of_integers(%a: tensor<4xi32>) {
  // expected-error@below {{works on floats, not on i32}}
  %0 = graph.softmax %a axis 0 : tensor<4xi32> -> tensor<4xi32>
  func.return
}

// -----

func.func @softmax_axis(%a: tensor<4xf32>) {
  // expected-error@below {{axis 1 is outside a tensor of 1 axes}}
  %0 = graph.softmax %a axis 1 : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @scale_of_another_size(%a: tensor<4x8xf32>, %s: tensor<7xf32>) {
  // expected-error@below {{shapes 4x8 and 7 do not broadcast: sizes [7, 8] differ}}
  %0 = graph.layer_norm %a scale %s axis 1 epsilon 0.1 : tensor<4x8xf32>, tensor<7xf32> -> tensor<4x8xf32>
  func.return
}

// -----

func.func @uneven_groups(%a: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@below {{the channels of shape [4, 8] do not make 3 groups}}
  %0 = graph.group_norm %a scale %s bias %s groups 3 epsilon 0.1 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  func.return
}

// -----

func.func @statistics_of_another_size(%a: tensor<4x8xf32>, %s: tensor<7xf32>) {
  // expected-error@below {{a parameter has shape [7], needs [8]}}
  %0 = graph.batch_norm %a scale %s bias %s mean %s variance %s epsilon 0.1 : tensor<4x8xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32> -> tensor<4x8xf32>
  func.return
}

// -----

func.func @zero_point_of_another_type(%a: tensor<4xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error@below {{the zero point is ui8, the quantised tensor i8}}
  %0 = graph.dequantize_linear %a scale %s zero_point %z axis 0 : tensor<4xi8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
  func.return
}

// -----

func.func @too_wide_to_quantise(%a: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) {
  // expected-error@below {{quantises to at most 16 bits, not to i32}}
  %0 = graph.quantize_linear %a scale %s zero_point %z axis 0 : tensor<4xf32>, tensor<f32>, tensor<i32> -> tensor<4xi32>
  func.return
}
