// RUN: %invalid

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{%y is not defined}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
