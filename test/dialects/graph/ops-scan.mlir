// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x4xf32>, %c: tensor<2x4xi64>, %d: tensor<2x3x4xf32>, %e: tensor<3x2xi64>, %f: tensor<3x2xf32>) {
  // CHECK-NEXT: %0 = graph.cum_sum %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  %0 = graph.cum_sum %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %1 = graph.cum_sum %a axis 1 exclusive reverse : tensor<3x4xf32> -> tensor<3x4xf32>
  %1 = graph.cum_sum %a axis 1 exclusive reverse : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %2 = graph.cum_prod %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  %2 = graph.cum_prod %a axis 0 : tensor<3x4xf32> -> tensor<3x4xf32>
  // CHECK-NEXT: %3 = graph.rank %b axis 0 : tensor<4x4xf32> -> tensor<4x4xi64>
  %3 = graph.rank %b axis 0 : tensor<4x4xf32> -> tensor<4x4xi64>
  // CHECK-NEXT: %4 = graph.rank %b axis 1 largest : tensor<4x4xf32> -> tensor<4x4xi64>
  %4 = graph.rank %b axis 1 largest : tensor<4x4xf32> -> tensor<4x4xi64>
  // CHECK-NEXT: %5 = graph.find_rank %c axis 1 count 3 : tensor<2x4xi64> -> tensor<2x3xi64>
  %5 = graph.find_rank %c axis 1 count 3 : tensor<2x4xi64> -> tensor<2x3xi64>
  // CHECK-NEXT: %6, %7 = graph.top_k %b axis 1 count 3 largest : tensor<4x4xf32> -> tensor<4x3xf32>, tensor<4x3xi64>
  %6, %7 = graph.top_k %b axis 1 count 3 largest : tensor<4x4xf32> -> tensor<4x3xf32>, tensor<4x3xi64>
  // CHECK-NEXT: %8 = graph.interpolate %d places %e weights %f axis 1 : tensor<2x3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32> -> tensor<2x3x4xf32>
  %8 = graph.interpolate %d places %e weights %f axis 1 : tensor<2x3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: %9 = graph.resample %d weights %f, %f {axes = array<i64: 1, 2>, sizes = array<i64: 6, 8>, lines = array<i64: 2, -2, 4, 2, -2, 4>} : tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32> -> tensor<2x6x8xf32>
  %9 = graph.resample %d weights %f, %f {axes = array<i64: 1, 2>, sizes = array<i64: 6, 8>, lines = array<i64: 2, -2, 4, 2, -2, 4>} : tensor<2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32> -> tensor<2x6x8xf32>
  func.return
}
