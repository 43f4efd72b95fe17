// RUN: dlc-opt %s --graph-split-scales | filecheck %s

// The sums may be larger than half precision holds.
// CHECK-LABEL: @half_precision
func.func @half_precision(%a: tensor<5x64xui8>, %s: tensor<f16>, %t: tensor<f16>) -> tensor<5x7xf16> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf16>, tensor<64x7xf16>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %0 {to = f16} : tensor<5x64xi32> -> tensor<5x64xf16>
  %2 = graph.mul %1, %s : (tensor<5x64xf16>, tensor<f16>) -> tensor<5x64xf16>
  %b = graph.weight @b : tensor<64x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f16} : tensor<64x7xi32> -> tensor<64x7xf16>
  %5 = graph.mul %4, %t : (tensor<64x7xf16>, tensor<f16>) -> tensor<64x7xf16>
  %y = graph.matmul %2, %5 : (tensor<5x64xf16>, tensor<64x7xf16>) -> tensor<5x7xf16>
  func.return %y : tensor<5x7xf16>
}

// CHECK-LABEL: @lhs_is_real
func.func @lhs_is_real(%a: tensor<5x64xf32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %b = graph.weight @b : tensor<64x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %5 = graph.mul %4, %t : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %a, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// A product of 64-bit integers would be none of 8 bits.
// CHECK-LABEL: @wide_integers
func.func @wide_integers(%a: tensor<5x64xui8>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i64} : tensor<5x64xui8> -> tensor<5x64xi64>
  %1 = graph.cast %0 {to = f32} : tensor<5x64xi64> -> tensor<5x64xf32>
  %2 = graph.mul %1, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi8>
  %3 = graph.cast %b {to = i64} : tensor<64x7xi8> -> tensor<64x7xi64>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi64> -> tensor<64x7xf32>
  %5 = graph.mul %4, %t : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// The scale makes five rows of one.
// CHECK-LABEL: @scale_that_repeats_the_factor
func.func @scale_that_repeats_the_factor(%a: tensor<1x64xui8>, %s: tensor<5x1xf32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<1x64xui8> -> tensor<1x64xi32>
  %1 = graph.cast %0 {to = f32} : tensor<1x64xi32> -> tensor<1x64xf32>
  %2 = graph.mul %1, %s : (tensor<1x64xf32>, tensor<5x1xf32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %5 = graph.mul %4, %t : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}
