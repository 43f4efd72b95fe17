// RUN: %invalid

func.func @unknown_activation(%a: tensor<3x2x4xf32>, %w: tensor<1x3x4xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x6xf32>, %n: tensor<2xi32>, %h: tensor<1x2x3xf32>) {
  // expected-error@below {{activation 'cosine' is none of sigmoid, tanh}}
  %0, %1 = graph.rnn %a, %w, %r, %b, %n, %h direction forward activations ["cosine"] parameters [0.0, 0.0] : (tensor<3x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x6xf32>, tensor<2xi32>, tensor<1x2x3xf32>) -> (tensor<3x1x2x3xf32>, tensor<1x2x3xf32>)
  func.return
}

// -----

func.func @two_directions_of_one_weight(%a: tensor<3x2x4xf32>, %w: tensor<1x3x4xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x6xf32>, %n: tensor<2xi32>, %h: tensor<1x2x3xf32>) {
  // expected-error@below {{the weight has shape [1, 3, 4], needs [2, 3, 4]}}
  %0, %1 = graph.rnn %a, %w, %r, %b, %n, %h direction bidirectional activations ["tanh", "tanh"] parameters [0.0, 0.0, 0.0, 0.0] : (tensor<3x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x6xf32>, tensor<2xi32>, tensor<1x2x3xf32>) -> (tensor<3x1x2x3xf32>, tensor<1x2x3xf32>)
  func.return
}

// -----

func.func @missing_parameters(%a: tensor<3x2x4xf32>, %w: tensor<1x3x4xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x6xf32>, %n: tensor<2xi32>, %h: tensor<1x2x3xf32>) {
  // expected-error@below {{needs 1 activations with two parameters each}}
  %0, %1 = graph.rnn %a, %w, %r, %b, %n, %h direction forward activations ["tanh"] parameters [0.0] : (tensor<3x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x6xf32>, tensor<2xi32>, tensor<1x2x3xf32>) -> (tensor<3x1x2x3xf32>, tensor<1x2x3xf32>)
  func.return
}
