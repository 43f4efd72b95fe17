// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<12xf32>, %b: tensor<2x3x4xf32>, %c: tensor<3x1xf32>) {
  // CHECK-NEXT: %0 = graph.relu %a : tensor<12xf32> -> tensor<12xf32>
  %0 = graph.relu %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %1 = graph.leaky_relu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  %1 = graph.leaky_relu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %2 = graph.prelu %b, %c : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %2 = graph.prelu %b, %c : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %3 = graph.elu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  %3 = graph.elu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %4 = graph.selu %a {alpha = 1.600000e+00 : f64, gamma = 1.050000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  %4 = graph.selu %a {alpha = 1.600000e+00 : f64, gamma = 1.050000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %5 = graph.celu %a {alpha = 2.000000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  %5 = graph.celu %a {alpha = 2.000000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %6 = graph.sigmoid %a : tensor<12xf32> -> tensor<12xf32>
  %6 = graph.sigmoid %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %7 = graph.silu %a {alpha = 1.000000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  %7 = graph.silu %a {alpha = 1.000000e+00 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %8 = graph.hard_sigmoid %a {beta = 5.000000e-01 : f64, alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  %8 = graph.hard_sigmoid %a {beta = 5.000000e-01 : f64, alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %9 = graph.hard_swish %a : tensor<12xf32> -> tensor<12xf32>
  %9 = graph.hard_swish %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %10 = graph.softplus %a : tensor<12xf32> -> tensor<12xf32>
  %10 = graph.softplus %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %11 = graph.softsign %a : tensor<12xf32> -> tensor<12xf32>
  %11 = graph.softsign %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %12 = graph.mish %a : tensor<12xf32> -> tensor<12xf32>
  %12 = graph.mish %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %13 = graph.gelu %a : tensor<12xf32> -> tensor<12xf32>
  %13 = graph.gelu %a : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %14 = graph.thresholded_relu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  %14 = graph.thresholded_relu %a {alpha = 3.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  // CHECK-NEXT: %15 = graph.shrink %a {bias = 3.000000e-01 : f64, threshold = 5.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  %15 = graph.shrink %a {bias = 3.000000e-01 : f64, threshold = 5.000000e-01 : f64} : tensor<12xf32> -> tensor<12xf32>
  func.return
}
