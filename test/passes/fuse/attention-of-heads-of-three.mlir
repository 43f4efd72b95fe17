// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// The three beside each other in each head, as BLOOM and NeoX have them.
// CHECK-LABEL: @heads_first
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @heads_first(%qkv: tensor<2x128x768xf16>) -> tensor<2x128x256xf16> {
  %0 = graph.reshape %qkv {sizes = array<i64: 2, 128, 4, 192>} : tensor<2x128x768xf16> -> tensor<2x128x4x192xf16>
  %1 = graph.slice %0 {starts = array<i64: 0, 0, 0, 0>, stops = array<i64: 2, 128, 4, 64>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x128x4x192xf16> -> tensor<2x128x4x64xf16>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %3 = graph.slice %0 {starts = array<i64: 0, 0, 0, 64>, stops = array<i64: 2, 128, 4, 128>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x128x4x192xf16> -> tensor<2x128x4x64xf16>
  %4 = graph.transpose %3 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %5 = graph.slice %0 {starts = array<i64: 0, 0, 0, 128>, stops = array<i64: 2, 128, 4, 192>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x128x4x192xf16> -> tensor<2x128x4x64xf16>
  %6 = graph.transpose %5 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %7 = graph.matmul %2, %4 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %8 = graph.splat 8.0 : f16 -> tensor<f16>
  %9 = graph.div %7, %8 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %10 = graph.softmax %9 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %11 = graph.matmul %10, %6 : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %12 = graph.transpose %11 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x4x128x64xf16> -> tensor<2x128x4x64xf16>
  %13 = graph.reshape %12 {sizes = array<i64: 2, 128, 256>} : tensor<2x128x4x64xf16> -> tensor<2x128x256xf16>
  func.return %13 : tensor<2x128x256xf16>
}
