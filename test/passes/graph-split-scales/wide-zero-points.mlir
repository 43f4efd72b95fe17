// RUN: dlc-opt %s --graph-split-scales | filecheck %s

// 1000 products of 100000 and 128 are more than 2^31.
// CHECK-LABEL: @large_zero_point
func.func @large_zero_point(%a: tensor<5x1000xui8>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x1000xf32>, tensor<1000x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x1000xui8> -> tensor<5x1000xi32>
  %p = graph.constant dense<100000> : tensor<i32>
  %1 = graph.sub %0, %p : (tensor<5x1000xi32>, tensor<i32>) -> tensor<5x1000xi32>
  %2 = graph.cast %1 {to = f32} : tensor<5x1000xi32> -> tensor<5x1000xf32>
  %3 = graph.mul %2, %s : (tensor<5x1000xf32>, tensor<f32>) -> tensor<5x1000xf32>
  %b = graph.weight @b : tensor<1000x7xi8>
  %4 = graph.cast %b {to = i32} : tensor<1000x7xi8> -> tensor<1000x7xi32>
  %5 = graph.cast %4 {to = f32} : tensor<1000x7xi32> -> tensor<1000x7xf32>
  %6 = graph.mul %5, %t : (tensor<1000x7xf32>, tensor<f32>) -> tensor<1000x7xf32>
  %y = graph.matmul %3, %6 : (tensor<5x1000xf32>, tensor<1000x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// It may be anything.
// CHECK-LABEL: @zero_point_of_32_bits
func.func @zero_point_of_32_bits(%a: tensor<5x64xui8>, %p: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<i32>) -> tensor<5x64xi32>
  %2 = graph.cast %1 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %3 = graph.mul %2, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi8>
  %4 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %5 = graph.cast %4 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %6 = graph.mul %5, %t : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %3, %6 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}
