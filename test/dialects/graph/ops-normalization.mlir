// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x6x3x4xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>, %e: tensor<6xf32>, %f: tensor<6xf32>, %g: tensor<2x3x4x6xf32>, %h: tensor<4xf32>, %i: tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.softmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  %0 = graph.softmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %1 = graph.log_softmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  %1 = graph.log_softmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %2 = graph.hardmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  %2 = graph.hardmax %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %3 = graph.batch_norm %b scale %c bias %d mean %e variance %f epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x6x3x4xf32>
  %3 = graph.batch_norm %b scale %c bias %d mean %e variance %f epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %4 = graph.batch_norm %g scale %c bias %d mean %e variance %f epsilon 1.000000e-05 layout channels_last : tensor<2x3x4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x3x4x6xf32>
  %4 = graph.batch_norm %g scale %c bias %d mean %e variance %f epsilon 1.000000e-05 layout channels_last : tensor<2x3x4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x3x4x6xf32>
  // CHECK-NEXT: %5 = graph.layer_norm %b scale %h bias %i : tensor<4xf32> axis 3 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  %5 = graph.layer_norm %b scale %h bias %i : tensor<4xf32> axis 3 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %6 = graph.layer_norm %b scale %h axis 3 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  %6 = graph.layer_norm %b scale %h axis 3 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %7 = graph.rms_norm %b scale %h bias %i : tensor<4xf32> axis 1 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  %7 = graph.rms_norm %b scale %h bias %i : tensor<4xf32> axis 1 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<4xf32> -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %8 = graph.group_norm %b scale %c bias %d groups 2 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x6x3x4xf32>
  %8 = graph.group_norm %b scale %c bias %d groups 2 epsilon 1.000000e-05 : tensor<2x6x3x4xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x6x3x4xf32>
  // CHECK-NEXT: %9 = graph.lrn %b size 5 alpha 3.000000e-01 beta 7.500000e-01 bias 2.000000e+00 : tensor<2x6x3x4xf32> -> tensor<2x6x3x4xf32>
  %9 = graph.lrn %b size 5 alpha 3.000000e-01 beta 7.500000e-01 bias 2.000000e+00 : tensor<2x6x3x4xf32> -> tensor<2x6x3x4xf32>
  func.return
}
