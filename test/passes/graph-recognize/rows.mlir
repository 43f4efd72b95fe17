// RUN: dlc-opt %s --graph-recognize | filecheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: graph.softmax %x axis 1
  // CHECK-NEXT: func.return
  %0 = graph.reduce_max %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = graph.exp %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.reduce_sum %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = graph.div %2, %3 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: @not_softmax_over_other_axes
func.func @not_softmax_over_other_axes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NOT: graph.softmax
  %0 = graph.reduce_max %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = graph.exp %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.reduce_sum %2 axes [0] keep_dims : tensor<4x8xf32> -> tensor<1x8xf32>
  %4 = graph.div %2, %3 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: graph.layer_norm %x scale %g bias %b : tensor<8xf32> axis 1 epsilon
  // CHECK-NEXT: func.return
  %two = graph.constant dense<2.0> : tensor<f32>
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %0 = graph.reduce_mean %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = graph.sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = graph.pow %1, %two : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = graph.reduce_mean %2 axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %4 = graph.add %3, %epsilon : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = graph.sqrt %4 : tensor<4x1xf32> -> tensor<4x1xf32>
  %6 = graph.div %1, %5 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %7 = graph.mul %6, %g : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %8 = graph.add %7, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %8 : tensor<4x8xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>, %m: tensor<5x7xf32>) -> tensor<2x5x3xf32> {
  // CHECK: graph.attention %q, %k, %v mask %m : tensor<5x7xf32> scale 5.000000e-01
  // CHECK-NEXT: func.return
  %half = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x5x4xf32>, tensor<2x7x4xf32>) -> tensor<2x5x7xf32>
  %1 = graph.div %0, %half : (tensor<2x5x7xf32>, tensor<f32>) -> tensor<2x5x7xf32>
  %2 = graph.add %1, %m : (tensor<2x5x7xf32>, tensor<5x7xf32>) -> tensor<2x5x7xf32>
  %3 = graph.softmax %2 axis 2 : tensor<2x5x7xf32> -> tensor<2x5x7xf32>
  %4 = graph.matmul %3, %v : (tensor<2x5x7xf32>, tensor<2x7x3xf32>) -> tensor<2x5x3xf32>
  func.return %4 : tensor<2x5x3xf32>
}
