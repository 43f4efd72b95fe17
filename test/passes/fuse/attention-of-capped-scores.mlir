// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_80 | filecheck %s

// Scores that stay within a limit, as Gemma 2 has them, are part of the attention.

// CHECK-LABEL: @capped
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @capped(%q: tensor<32x12x128x64xf16>, %k: tensor<32x12x128x64xf16>, %v: tensor<32x12x128x64xf16>) -> tensor<32x12x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<32x12x128x64xf16>, tensor<32x12x128x64xf16>) -> tensor<32x12x128x128xf16>
  %1 = graph.splat 2.500000e-03 : f16 -> tensor<f16>
  %2 = graph.mul %0, %1 : (tensor<32x12x128x128xf16>, tensor<f16>) -> tensor<32x12x128x128xf16>
  %3 = graph.tanh %2 : tensor<32x12x128x128xf16> -> tensor<32x12x128x128xf16>
  %4 = graph.splat 5.000000e+01 : f16 -> tensor<f16>
  %5 = graph.mul %3, %4 : (tensor<32x12x128x128xf16>, tensor<f16>) -> tensor<32x12x128x128xf16>
  %6 = graph.softmax %5 axis 3 : tensor<32x12x128x128xf16> -> tensor<32x12x128x128xf16>
  %7 = graph.matmul %6, %v : (tensor<32x12x128x128xf16>, tensor<32x12x128x64xf16>) -> tensor<32x12x128x64xf16>
  func.return %7 : tensor<32x12x128x64xf16>
}

// Weights that stay within a limit are no weights of a softmax any more.
// CHECK-LABEL: @capped_weights
// CHECK-NOT:     strategy = "attention"
// CHECK:         func.return
func.func @capped_weights(%q: tensor<32x12x128x64xf16>, %k: tensor<32x12x128x64xf16>, %v: tensor<32x12x128x64xf16>) -> tensor<32x12x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<32x12x128x64xf16>, tensor<32x12x128x64xf16>) -> tensor<32x12x128x128xf16>
  %1 = graph.softmax %0 axis 3 : tensor<32x12x128x128xf16> -> tensor<32x12x128x128xf16>
  %2 = graph.tanh %1 : tensor<32x12x128x128xf16> -> tensor<32x12x128x128xf16>
  %3 = graph.matmul %2, %v : (tensor<32x12x128x128xf16>, tensor<32x12x128x64xf16>) -> tensor<32x12x128x64xf16>
  func.return %3 : tensor<32x12x128x64xf16>
}
