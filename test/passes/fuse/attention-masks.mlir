// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Whatever is computed of a score and of what stands at its place is part of the attention.

// A bias for each distance, and no scale: T5.
// CHECK-LABEL: @relative
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @relative(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %bias: tensor<1x4x128x128xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.add %0, %bias : (tensor<2x4x128x128xf16>, tensor<1x4x128x128xf16>) -> tensor<2x4x128x128xf16>
  %2 = graph.softmax %1 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %3 = graph.matmul %2, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %3 : tensor<2x4x128x64xf16>
}

// 1 for tokens, 0 for padding: BERT.
// CHECK-LABEL: @padding
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @padding(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %seen: tensor<2x1x1x128xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.splat 1.0 : f16 -> tensor<f16>
  %1 = graph.sub %0, %seen : (tensor<f16>, tensor<2x1x1x128xf16>) -> tensor<2x1x1x128xf16>
  %2 = graph.splat -10000.0 : f16 -> tensor<f16>
  %3 = graph.mul %1, %2 : (tensor<2x1x1x128xf16>, tensor<f16>) -> tensor<2x1x1x128xf16>
  %4 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %5 = graph.splat 8.0 : f16 -> tensor<f16>
  %6 = graph.div %4, %5 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %7 = graph.add %6, %3 : (tensor<2x4x128x128xf16>, tensor<2x1x1x128xf16>) -> tensor<2x4x128x128xf16>
  %8 = graph.softmax %7 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %9 = graph.matmul %8, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %9 : tensor<2x4x128x64xf16>
}

// Booleans choose between scores and the least number: GPT-2.
// CHECK-LABEL: @chosen
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @chosen(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %seen: tensor<128x128xi1>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.splat 0.125 : f16 -> tensor<f16>
  %2 = graph.mul %0, %1 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %3 = graph.splat -65504.0 : f16 -> tensor<f16>
  %4 = graph.where %seen, %2, %3 : (tensor<128x128xi1>, tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %5 = graph.softmax %4 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %6 = graph.matmul %5, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %6 : tensor<2x4x128x64xf16>
}

