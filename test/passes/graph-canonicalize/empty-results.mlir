// RUN: dlc-opt --graph-canonicalize %s | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %0 = graph.splat 0.000000e+00 : f32 -> tensor<3x0xf32>
// CHECK-NEXT: %1 = graph.reduce_sum %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return %0, %1
func.func @main(%x: tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<3xf32>) {
  %0 = graph.softmax %x axis 1 : tensor<3x0xf32> -> tensor<3x0xf32>
  %1 = graph.reduce_sum %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  func.return %0, %1 : tensor<3x0xf32>, tensor<3xf32>
}

// The op stays for its other result.

// CHECK-LABEL: func.func @unread
// CHECK-NEXT: %0, %1 = graph.rnn
// CHECK-NEXT: func.return %1
func.func @unread(%x: tensor<0x2x4xf32>, %w: tensor<1x3x4xf32>, %r: tensor<1x3x3xf32>, %b: tensor<1x6xf32>, %n: tensor<2xi32>, %h: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  %0, %1 = graph.rnn %x, %w, %r, %b, %n, %h direction forward activations ["tanh"] parameters [3.000000e-01, 6.000000e-01] : (tensor<0x2x4xf32>, tensor<1x3x4xf32>, tensor<1x3x3xf32>, tensor<1x6xf32>, tensor<2xi32>, tensor<1x2x3xf32>) -> (tensor<0x1x2x3xf32>, tensor<1x2x3xf32>)
  func.return %1 : tensor<1x2x3xf32>
}
