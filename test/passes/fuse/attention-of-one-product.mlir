// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Queries, keys and values are parts of one product; the attention reads them where they stand, and gives what the next product reads.

// Parts one after the other, as GPT-2 splits them.
// CHECK-LABEL: @gpt2
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @gpt2(%qkv: tensor<2x128x768xf16>) -> tensor<2x128x256xf16> {
  %0 = graph.slice %qkv {starts = array<i64: 0, 0, 0>, stops = array<i64: 2, 128, 256>, steps = array<i64: 1, 1, 1>} : tensor<2x128x768xf16> -> tensor<2x128x256xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 128, 4, 64>} : tensor<2x128x256xf16> -> tensor<2x128x4x64xf16>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %3 = graph.slice %qkv {starts = array<i64: 0, 0, 256>, stops = array<i64: 2, 128, 512>, steps = array<i64: 1, 1, 1>} : tensor<2x128x768xf16> -> tensor<2x128x256xf16>
  %4 = graph.reshape %3 {sizes = array<i64: 2, 128, 4, 64>} : tensor<2x128x256xf16> -> tensor<2x128x4x64xf16>
  %5 = graph.transpose %4 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %6 = graph.slice %qkv {starts = array<i64: 0, 0, 512>, stops = array<i64: 2, 128, 768>, steps = array<i64: 1, 1, 1>} : tensor<2x128x768xf16> -> tensor<2x128x256xf16>
  %7 = graph.reshape %6 {sizes = array<i64: 2, 128, 4, 64>} : tensor<2x128x256xf16> -> tensor<2x128x4x64xf16>
  %8 = graph.transpose %7 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %9 = graph.matmul %2, %5 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %10 = graph.splat 0.125 : f16 -> tensor<f16>
  %11 = graph.mul %9, %10 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %12 = graph.softmax %11 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %13 = graph.matmul %12, %8 : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %14 = graph.transpose %13 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x4x128x64xf16> -> tensor<2x128x4x64xf16>
  %15 = graph.reshape %14 {sizes = array<i64: 2, 128, 256>} : tensor<2x128x4x64xf16> -> tensor<2x128x256xf16>
  func.return %15 : tensor<2x128x256xf16>
}

// An axis of three, as ViT has them; the scale is on the queries.
// CHECK-LABEL: @vit
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @vit(%qkv: tensor<2x128x768xf16>) -> tensor<2x128x256xf16> {
  %0 = graph.reshape %qkv {sizes = array<i64: 2, 128, 3, 4, 64>} : tensor<2x128x768xf16> -> tensor<2x128x3x4x64xf16>
  %1 = graph.transpose %0 {permutation = array<i64: 2, 0, 3, 1, 4>} : tensor<2x128x3x4x64xf16> -> tensor<3x2x4x128x64xf16>
  %2 = graph.slice %1 {starts = array<i64: 0, 0, 0, 0, 0>, stops = array<i64: 1, 2, 4, 128, 64>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<3x2x4x128x64xf16> -> tensor<1x2x4x128x64xf16>
  %3 = graph.reshape %2 {sizes = array<i64: 2, 4, 128, 64>} : tensor<1x2x4x128x64xf16> -> tensor<2x4x128x64xf16>
  %4 = graph.slice %1 {starts = array<i64: 1, 0, 0, 0, 0>, stops = array<i64: 2, 2, 4, 128, 64>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<3x2x4x128x64xf16> -> tensor<1x2x4x128x64xf16>
  %5 = graph.reshape %4 {sizes = array<i64: 2, 4, 128, 64>} : tensor<1x2x4x128x64xf16> -> tensor<2x4x128x64xf16>
  %6 = graph.slice %1 {starts = array<i64: 2, 0, 0, 0, 0>, stops = array<i64: 3, 2, 4, 128, 64>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<3x2x4x128x64xf16> -> tensor<1x2x4x128x64xf16>
  %7 = graph.reshape %6 {sizes = array<i64: 2, 4, 128, 64>} : tensor<1x2x4x128x64xf16> -> tensor<2x4x128x64xf16>
  %8 = graph.splat 0.125 : f16 -> tensor<f16>
  %9 = graph.mul %3, %8 : (tensor<2x4x128x64xf16>, tensor<f16>) -> tensor<2x4x128x64xf16>
  %10 = graph.matmul %9, %5 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %11 = graph.softmax %10 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %12 = graph.matmul %11, %7 : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %13 = graph.transpose %12 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x4x128x64xf16> -> tensor<2x128x4x64xf16>
  %14 = graph.reshape %13 {sizes = array<i64: 2, 128, 256>} : tensor<2x128x4x64xf16> -> tensor<2x128x256xf16>
  func.return %14 : tensor<2x128x256xf16>
}

