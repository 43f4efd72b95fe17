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
