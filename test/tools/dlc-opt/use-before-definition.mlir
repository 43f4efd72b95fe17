// RUN: %invalid

func.func @use_before_definition() -> tensor<4xf32> {
  // expected-error@below {{graph.relu: operand 0 is not defined before this use}}
  %0 = graph.relu %1 : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.splat 0.000000e+00 : f32 -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
