// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<3x4x5xf32>, %b: tensor<3x4xf32>, %c: tensor<4x4xf32>) {
  // CHECK-NEXT: %0 = graph.reduce_sum %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %0 = graph.reduce_sum %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %1 = graph.reduce_sum %a axes [0, 2] keep_dims : tensor<3x4x5xf32> -> tensor<1x4x1xf32>
  %1 = graph.reduce_sum %a axes [0, 2] keep_dims : tensor<3x4x5xf32> -> tensor<1x4x1xf32>
  // CHECK-NEXT: %2 = graph.reduce_mean %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %2 = graph.reduce_mean %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %3 = graph.reduce_sum_square %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %3 = graph.reduce_sum_square %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %4 = graph.reduce_l1 %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %4 = graph.reduce_l1 %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %5 = graph.reduce_l2 %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %5 = graph.reduce_l2 %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %6 = graph.reduce_log_sum %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %6 = graph.reduce_log_sum %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %7 = graph.reduce_log_sum_exp %a axes [0, 2] : tensor<3x4x5xf32> -> tensor<4xf32>
  %7 = graph.reduce_log_sum_exp %a axes [0, 2] : tensor<3x4x5xf32> -> tensor<4xf32>
  // CHECK-NEXT: %8 = graph.reduce_log_sum_exp %b axes [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  %8 = graph.reduce_log_sum_exp %b axes [1] keep_dims : tensor<3x4xf32> -> tensor<3x1xf32>
  // CHECK-NEXT: %9 = graph.reduce_prod %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %9 = graph.reduce_prod %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %10 = graph.reduce_max %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %10 = graph.reduce_max %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %11 = graph.reduce_min %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  %11 = graph.reduce_min %a axes [1] : tensor<3x4x5xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %12 = graph.arg_max %c axes [0] : tensor<4x4xf32> -> tensor<4xi64>
  %12 = graph.arg_max %c axes [0] : tensor<4x4xf32> -> tensor<4xi64>
  // CHECK-NEXT: %13 = graph.arg_max %c axes [1] select_last : tensor<4x4xf32> -> tensor<4xi64>
  %13 = graph.arg_max %c axes [1] select_last : tensor<4x4xf32> -> tensor<4xi64>
  // CHECK-NEXT: %14 = graph.arg_min %c axes [0] : tensor<4x4xf32> -> tensor<4xi64>
  %14 = graph.arg_min %c axes [0] : tensor<4x4xf32> -> tensor<4xi64>
  func.return
}
