// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Weights are computed in single precision, and rounded before they are multiplied: LLaMA.

// CHECK-LABEL: @rounded
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @rounded(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.cast %0 {to = f32} : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf32>
  %2 = graph.softmax %1 axis 3 : tensor<2x4x128x128xf32> -> tensor<2x4x128x128xf32>
  %3 = graph.cast %2 {to = f16} : tensor<2x4x128x128xf32> -> tensor<2x4x128x128xf16>
  %4 = graph.matmul %3, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %4 : tensor<2x4x128x64xf16>
}

// Weights that stay in single precision are multiplied by no instruction for factors of 16 bits.
// CHECK-LABEL: @not_rounded
// CHECK-NOT:     strategy = "attention"
// CHECK:         func.return
func.func @not_rounded(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf32>) -> tensor<2x4x128x64xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.cast %0 {to = f32} : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf32>
  %2 = graph.softmax %1 axis 3 : tensor<2x4x128x128xf32> -> tensor<2x4x128x128xf32>
  %3 = graph.matmul %2, %v : (tensor<2x4x128x128xf32>, tensor<2x4x128x64xf32>) -> tensor<2x4x128x64xf32>
  func.return %3 : tensor<2x4x128x64xf32>
}
