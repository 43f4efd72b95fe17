// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Heads of keys and values that several heads of queries share are read where they are: repeating them is no kernel.

// CHECK-LABEL: @repeated
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @repeated(%q: tensor<2x4x128x64xf16>, %k: tensor<2x2x128x64xf16>, %v: tensor<2x2x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.reshape %k {sizes = array<i64: 2, 2, 1, 128, 64>} : tensor<2x2x128x64xf16> -> tensor<2x2x1x128x64xf16>
  %1 = graph.broadcast %0 {sizes = array<i64: 2, 2, 2, 128, 64>} : tensor<2x2x1x128x64xf16> -> tensor<2x2x2x128x64xf16>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 4, 128, 64>} : tensor<2x2x2x128x64xf16> -> tensor<2x4x128x64xf16>
  %3 = graph.matmul %q, %2 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %4 = graph.splat 0.125 : f16 -> tensor<f16>
  %5 = graph.mul %3, %4 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %6 = graph.softmax %5 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %7 = graph.reshape %v {sizes = array<i64: 2, 2, 1, 128, 64>} : tensor<2x2x128x64xf16> -> tensor<2x2x1x128x64xf16>
  %8 = graph.broadcast %7 {sizes = array<i64: 2, 2, 2, 128, 64>} : tensor<2x2x1x128x64xf16> -> tensor<2x2x2x128x64xf16>
  %9 = graph.reshape %8 {sizes = array<i64: 2, 4, 128, 64>} : tensor<2x2x2x128x64xf16> -> tensor<2x4x128x64xf16>
  %10 = graph.matmul %6, %9 : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %10 : tensor<2x4x128x64xf16>
}

// Heads beside each other, as projections give them.
// CHECK-LABEL: @beside
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @beside(%q: tensor<2x128x256xf16>, %k: tensor<2x128x128xf16>, %v: tensor<2x128x128xf16>) -> tensor<2x128x256xf16> {
  %0 = graph.reshape %k {sizes = array<i64: 2, 128, 2, 64>} : tensor<2x128x128xf16> -> tensor<2x128x2x64xf16>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x2x64xf16> -> tensor<2x2x128x64xf16>
  %2 = graph.reshape %v {sizes = array<i64: 2, 128, 2, 64>} : tensor<2x128x128xf16> -> tensor<2x128x2x64xf16>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x2x64xf16> -> tensor<2x2x128x64xf16>
  %4 = graph.reshape %q {sizes = array<i64: 2, 128, 4, 64>} : tensor<2x128x256xf16> -> tensor<2x128x4x64xf16>
  %5 = graph.transpose %4 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x128x4x64xf16> -> tensor<2x4x128x64xf16>
  %6 = graph.reshape %1 {sizes = array<i64: 2, 2, 1, 128, 64>} : tensor<2x2x128x64xf16> -> tensor<2x2x1x128x64xf16>
  %7 = graph.broadcast %6 {sizes = array<i64: 2, 2, 2, 128, 64>} : tensor<2x2x1x128x64xf16> -> tensor<2x2x2x128x64xf16>
  %8 = graph.reshape %7 {sizes = array<i64: 2, 4, 128, 64>} : tensor<2x2x2x128x64xf16> -> tensor<2x4x128x64xf16>
  %9 = graph.matmul %5, %8 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %10 = graph.splat 0.125 : f16 -> tensor<f16>
  %11 = graph.mul %9, %10 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %12 = graph.softmax %11 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %13 = graph.reshape %3 {sizes = array<i64: 2, 2, 1, 128, 64>} : tensor<2x2x128x64xf16> -> tensor<2x2x1x128x64xf16>
  %14 = graph.broadcast %13 {sizes = array<i64: 2, 2, 2, 128, 64>} : tensor<2x2x1x128x64xf16> -> tensor<2x2x2x128x64xf16>
  %15 = graph.reshape %14 {sizes = array<i64: 2, 4, 128, 64>} : tensor<2x2x2x128x64xf16> -> tensor<2x4x128x64xf16>
  %16 = graph.matmul %12, %15 : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %17 = graph.transpose %16 {permutation = array<i64: 0, 2, 1, 3>} : tensor<2x4x128x64xf16> -> tensor<2x128x4x64xf16>
  %18 = graph.reshape %17 {sizes = array<i64: 2, 128, 256>} : tensor<2x128x4x64xf16> -> tensor<2x128x256xf16>
  func.return %18 : tensor<2x128x256xf16>
}
