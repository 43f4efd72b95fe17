// RUN: dlc-opt %s --graph-split-scales | filecheck %s

// Each term has a scale of its own.
// CHECK-LABEL: @scale_along_the_sum
func.func @scale_along_the_sum(%a: tensor<5x64xui8>, %s: tensor<f32>, %t: tensor<64x1xf32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %2 = graph.mul %1, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi8>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %5 = graph.mul %4, %t : (tensor<64x7xf32>, tensor<64x1xf32>) -> tensor<64x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// No instruction multiplies 8 bits by 16.
// CHECK-LABEL: @sixteen_bits
func.func @sixteen_bits(%a: tensor<5x64xui8>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %2 = graph.mul %1, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi16>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi16> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %5 = graph.mul %4, %t : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// CHECK-LABEL: @one_factor_is_real
func.func @one_factor_is_real(%a: tensor<5x64xui8>, %s: tensor<f32>, %b: tensor<64x7xf32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %2 = graph.mul %1, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %y = graph.matmul %2, %b : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}
