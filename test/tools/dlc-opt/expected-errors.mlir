// RUN: %invalid

func.func @at_the_line_below(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@below {{shapes 4 and 3 do not broadcast}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @all_faults_come(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{do not broadcast}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  %1 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32> // expected-error {{sizes [3, 4] differ}}
  func.return
}

// -----

func.func @parse_error(%x: tensor<4xf32>) {
  // expected-error-re@below {{there is no .*nothing}}
  %0 = graph.nothing %x : tensor<4xf32>
  func.return
}
