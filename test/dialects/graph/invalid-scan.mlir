// RUN: %invalid

func.func @too_many_to_choose(%a: tensor<4xf32>) {
  // expected-error@below {{an axis of 4 elements does not have 5 to choose}}
  %0, %1 = graph.top_k %a axis 0 count 5 : tensor<4xf32> -> tensor<5xf32>, tensor<5xi64>
  func.return
}
