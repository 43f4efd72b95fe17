// RUN: dlc-opt %s --graph-split-scales | filecheck %s

// The sums of the rhs, which a zero point of the lhs needs, would be a kernel more.
// CHECK-LABEL: @both_at_run_time
func.func @both_at_run_time(%a: tensor<5x64xui8>, %b: tensor<64x7xi8>, %s: tensor<f32>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %0 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %2 = graph.mul %1, %s : (tensor<5x64xf32>, tensor<f32>) -> tensor<5x64xf32>
  %3 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %4 = graph.cast %3 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %5 = graph.mul %4, %s : (tensor<64x7xf32>, tensor<f32>) -> tensor<64x7xf32>
  %y = graph.matmul %2, %5 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}
