// RUN: %invalid

func.func @no_such_type(%a: tensor<2xf32>) {
  // expected-error@below {{graph.cast: element type i7 is not supported}}
  %0 = graph.cast %a {to = i7} : tensor<2xf32> -> tensor<2xi7>
  func.return
}

// -----

func.func @another_result_type(%a: tensor<2xf32>) {
  // expected-error@below {{result 0 should be}}
  %0 = graph.cast %a {to = f16} : tensor<2xf32> -> tensor<2xf64>
  func.return
}
