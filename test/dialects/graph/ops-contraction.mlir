// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5x4xf32>, %d: tensor<2x1x3x4xf32>, %e: tensor<3x4x2xf32>, %f: tensor<2x4x5x6xf32>, %g: tensor<6x2x3x2xf32>, %h: tensor<2x5x6x4xf32>, %i: tensor<6x3x2x2xf32>, %j: tensor<1x3x7xf32>, %k: tensor<2x3x3xf32>, %l: tensor<2x3x3x4xf32>, %m: tensor<3x2x4x4xf32>, %n: tensor<1x4x3x3xf32>, %o: tensor<4x3x3x3xf32>, %p: tensor<2x3x4x5xf32>, %q: tensor<2x1x6x5xf32>, %r: tensor<2x3x6x2xf32>, %s: tensor<6xf32>, %t: tensor<3x4xui8>, %u: tensor<4x5xi8>, %v: tensor<3x3x3xi8>, %w: tensor<2x6x3x4xf32>, %x: tensor<2x2x5x4xf32>) {
  // CHECK-NEXT: %0 = graph.matmul %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %0 = graph.matmul %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: %1 = graph.matmul %a, %c transpose_rhs : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %1 = graph.matmul %a, %c transpose_rhs : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: %2 = graph.matmul %d, %e : (tensor<2x1x3x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x3x2xf32>
  %2 = graph.matmul %d, %e : (tensor<2x1x3x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x3x2xf32>
  // CHECK-NEXT: %3 = graph.conv %f, %g strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2 : (tensor<2x4x5x6xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x2x6xf32>
  %3 = graph.conv %f, %g strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2 : (tensor<2x4x5x6xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x2x6xf32>
  // CHECK-NEXT: %4 = graph.conv %h, %i strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2 layout channels_last weight_layout ohwi : (tensor<2x5x6x4xf32>, tensor<6x3x2x2xf32>) -> tensor<2x2x6x6xf32>
  %4 = graph.conv %h, %i strides [2, 1] padding [1, 0, 0, 2] dilations [1, 2] groups 2 layout channels_last weight_layout ohwi : (tensor<2x5x6x4xf32>, tensor<6x3x2x2xf32>) -> tensor<2x2x6x6xf32>
  // CHECK-NEXT: %5 = graph.conv %j, %k strides [1] padding [1, 1] dilations [1] : (tensor<1x3x7xf32>, tensor<2x3x3xf32>) -> tensor<1x2x7xf32>
  %5 = graph.conv %j, %k strides [1] padding [1, 1] dilations [1] : (tensor<1x3x7xf32>, tensor<2x3x3xf32>) -> tensor<1x2x7xf32>
  // CHECK-NEXT: %6 = graph.conv_transpose %l, %m strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] growth [0, 0] : (tensor<2x3x3x4xf32>, tensor<3x2x4x4xf32>) -> tensor<2x2x6x8xf32>
  %6 = graph.conv_transpose %l, %m strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] growth [0, 0] : (tensor<2x3x3x4xf32>, tensor<3x2x4x4xf32>) -> tensor<2x2x6x8xf32>
  // CHECK-NEXT: %7 = graph.conv_transpose %n, %o strides [2, 1] padding [1, 0, 0, 1] dilations [1, 1] growth [0, 0] groups 2 : (tensor<1x4x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  %7 = graph.conv_transpose %n, %o strides [2, 1] padding [1, 0, 0, 1] dilations [1, 1] growth [0, 0] groups 2 : (tensor<1x4x3x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  // CHECK-NEXT: %8 = graph.attention %p, %q, %r scale 4.000000e-01 : (tensor<2x3x4x5xf32>, tensor<2x1x6x5xf32>, tensor<2x3x6x2xf32>) -> tensor<2x3x4x2xf32>
  %8 = graph.attention %p, %q, %r scale 4.000000e-01 : (tensor<2x3x4x5xf32>, tensor<2x1x6x5xf32>, tensor<2x3x6x2xf32>) -> tensor<2x3x4x2xf32>
  // CHECK-NEXT: %9 = graph.attention %p, %q, %r mask %s : tensor<6xf32> scale 4.000000e-01 causal : (tensor<2x3x4x5xf32>, tensor<2x1x6x5xf32>, tensor<2x3x6x2xf32>) -> tensor<2x3x4x2xf32>
  %9 = graph.attention %p, %q, %r mask %s : tensor<6xf32> scale 4.000000e-01 causal : (tensor<2x3x4x5xf32>, tensor<2x1x6x5xf32>, tensor<2x3x6x2xf32>) -> tensor<2x3x4x2xf32>
  // CHECK-NEXT: %10 = graph.matmul %a, %b precision tf32 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %10 = graph.matmul %a, %b precision tf32 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: %11 = graph.matmul %t, %u : (tensor<3x4xui8>, tensor<4x5xi8>) -> tensor<3x5xi32>
  %11 = graph.matmul %t, %u : (tensor<3x4xui8>, tensor<4x5xi8>) -> tensor<3x5xi32>
  // CHECK-NEXT: %12 = graph.conv %v, %v strides [1] padding [1, 1] dilations [1] : (tensor<3x3x3xi8>, tensor<3x3x3xi8>) -> tensor<3x3x3xi32>
  %12 = graph.conv %v, %v strides [1] padding [1, 1] dilations [1] : (tensor<3x3x3xi8>, tensor<3x3x3xi8>) -> tensor<3x3x3xi32>
  // CHECK-NEXT: %13 = graph.matmul %w, %x transpose_rhs shared 3 : (tensor<2x6x3x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x6x3x5xf32>
  %13 = graph.matmul %w, %x transpose_rhs shared 3 : (tensor<2x6x3x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x6x3x5xf32>
  func.return
}
