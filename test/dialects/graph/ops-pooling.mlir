// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%p: tensor<1x1x2x2xf32>, %q: tensor<1x1x2x2xi64>, %a: tensor<2x3x6x7xf32>, %b: tensor<2x4x5x3xf32>) {
  // CHECK-NEXT: %0 = graph.max_pool %a window [3, 2] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x4x6xf32>
  %0 = graph.max_pool %a window [3, 2] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x4x6xf32>
  // CHECK-NEXT: %1 = graph.max_pool %b window [2, 2] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : tensor<2x4x5x3xf32> -> tensor<2x5x6x3xf32>
  %1 = graph.max_pool %b window [2, 2] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : tensor<2x4x5x3xf32> -> tensor<2x5x6x3xf32>
  // CHECK-NEXT: %2 = graph.max_pool_index %a window [2, 2] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] column_major : tensor<2x3x6x7xf32> -> tensor<2x3x7x8xi64>
  %2 = graph.max_pool_index %a window [2, 2] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] column_major : tensor<2x3x6x7xf32> -> tensor<2x3x7x8xi64>
  // CHECK-NEXT: %3 = graph.average_pool %a window [3, 2] strides [2, 1] padding [1, 0, 1, 2] dilations [1, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x3x8xf32>
  %3 = graph.average_pool %a window [3, 2] strides [2, 1] padding [1, 0, 1, 2] dilations [1, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x3x8xf32>
  // CHECK-NEXT: %4 = graph.average_pool %a window [3, 2] strides [2, 3] padding [1, 1, 0, 1] dilations [1, 1] ceil_mode count_include_pad : tensor<2x3x6x7xf32> -> tensor<2x3x3x3xf32>
  %4 = graph.average_pool %a window [3, 2] strides [2, 3] padding [1, 1, 0, 1] dilations [1, 1] ceil_mode count_include_pad : tensor<2x3x6x7xf32> -> tensor<2x3x3x3xf32>
  // CHECK-NEXT: %5 = graph.lp_pool %a exponent 2.000000e+00 window [3, 2] strides [1, 1] padding [2, 1, 2, 0] dilations [2, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x6x7xf32>
  %5 = graph.lp_pool %a exponent 2.000000e+00 window [3, 2] strides [1, 1] padding [2, 1, 2, 0] dilations [2, 1] : tensor<2x3x6x7xf32> -> tensor<2x3x6x7xf32>
  // CHECK-NEXT: %6 = graph.max_unpool %p, %q window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  %6 = graph.max_unpool %p, %q window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  // CHECK-NEXT: %7 = graph.max_unpool %p, %q window [3, 3] strides [1, 1] padding [0, 0, 0, 0] add : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  %7 = graph.max_unpool %p, %q window [3, 3] strides [1, 1] padding [0, 0, 0, 0] add : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  func.return
}
