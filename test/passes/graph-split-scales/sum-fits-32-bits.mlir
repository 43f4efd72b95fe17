// RUN: dlc-opt %s --graph-split-scales | filecheck %s

// 33026 products of 255 and 255 are more than 2^31.
// CHECK-LABEL: @sum_beyond_32_bits
func.func @sum_beyond_32_bits(%a: tensor<5x33026xui8>, %s: tensor<f32>, %t: tensor<f32>, %q: tensor<i8>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x33026xf32>, tensor<33026x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x33026xui8> -> tensor<5x33026xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x33026xi32> -> tensor<5x33026xf32>
  %2 = graph.mul %1, %s : (tensor<5x33026xf32>, tensor<f32>) -> tensor<5x33026xf32>
  %b = graph.weight @b : tensor<33026x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<33026x7xi8> -> tensor<33026x7xi32>
  %r = graph.constant dense<127> : tensor<i32>
  %4 = graph.sub %3, %r : (tensor<33026x7xi32>, tensor<i32>) -> tensor<33026x7xi32>
  %5 = graph.cast %4 {to = f32} : tensor<33026x7xi32> -> tensor<33026x7xf32>
  %6 = graph.mul %5, %t : (tensor<33026x7xf32>, tensor<f32>) -> tensor<33026x7xf32>
  %y = graph.matmul %2, %6 : (tensor<5x33026xf32>, tensor<33026x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// Of 255 and 128 they are not.
// CHECK-LABEL: @sum_within_32_bits
func.func @sum_within_32_bits(%a: tensor<5x33026xui8>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x33026xi32>, tensor<33026x7xi32>)
  %0 = graph.cast %a {to = i32} : tensor<5x33026xui8> -> tensor<5x33026xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x33026xi32> -> tensor<5x33026xf32>
  %2 = graph.mul %1, %s : (tensor<5x33026xf32>, tensor<f32>) -> tensor<5x33026xf32>
  %b = graph.weight @b : tensor<33026x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<33026x7xi8> -> tensor<33026x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<33026x7xi32> -> tensor<33026x7xf32>
  %5 = graph.mul %4, %t : (tensor<33026x7xf32>, tensor<f32>) -> tensor<33026x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x33026xf32>, tensor<33026x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}
