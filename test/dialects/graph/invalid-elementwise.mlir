// RUN: %invalid

func.func @element_types_differ(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@below {{graph.add: operands have element types f32 and f64; cast one of them}}
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  func.return
}

// -----

func.func @no_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x1x4xf32>) {
  // expected-error@below {{shapes 2x3 and 2x1x4 do not broadcast: sizes [3, 4] differ}}
  %0 = graph.mul %a, %b : (tensor<2x3xf32>, tensor<2x1x4xf32>) -> tensor<2x2x4xf32>
  func.return
}

// -----

func.func @booleans_do_not_add(%a: tensor<2xi1>) {
  // expected-error@below {{works on numbers, not on booleans}}
  %0 = graph.add %a, %a : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

func.func @integer_sine(%a: tensor<2xi32>) {
  // expected-error@below {{works on floats, not on i32}}
  %0 = graph.sin %a : tensor<2xi32> -> tensor<2xi32>
  func.return
}

// -----

func.func @unknown_predicate(%a: tensor<2xi32>) {
  // expected-error@below {{predicate 'like' is none of eq, ne, lt, le, gt, ge}}
  %0 = graph.compare %a, %a {predicate = "like"} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// -----

func.func @bits_of_floats(%a: tensor<2xf32>) {
  // expected-error@below {{works on booleans and integers, not on f32}}
  %0 = graph.xor %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @condition_is_no_boolean(%c: tensor<2xi32>, %a: tensor<2xf32>) {
  // expected-error@below {{the condition must be i1, not i32}}
  %0 = graph.where %c, %a, %a : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}
