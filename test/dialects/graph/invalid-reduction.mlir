// RUN: %invalid

func.func @no_such_axis(%a: tensor<4xf32>) {
  // expected-error@below {{axes [1] must ascend and lie between 0 and 0}}
  %0 = graph.reduce_sum %a axes [1] : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @axes_descend(%a: tensor<4x5xf32>) {
  // expected-error@below {{axes [1, 0] must ascend}}
  %0 = graph.reduce_max %a axes [1, 0] : tensor<4x5xf32> -> tensor<f32>
  func.return
}

// -----

func.func @boolean_maximum(%a: tensor<4xi1>) {
  // expected-error@below {{works on numbers, not on booleans; cast to ui8}}
  %0 = graph.reduce_max %a axes [0] : tensor<4xi1> -> tensor<i1>
  func.return
}

// -----

func.func @integer_norm(%a: tensor<4xi32>) {
  // expected-error@below {{works on floats, not on i32}}
  %0 = graph.reduce_l2 %a axes [0] : tensor<4xi32> -> tensor<i32>
  func.return
}

// -----

func.func @index_along_two_axes(%a: tensor<4x5xf32>) {
  // expected-error@below {{works along one axis, not along axes [0, 1]}}
  %0 = graph.arg_max %a axes [0, 1] : tensor<4x5xf32> -> tensor<i64>
  func.return
}
