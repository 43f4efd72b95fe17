// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_80 | filecheck %s

// A query sees the 32 keys up to its own, by their places: Mistral.

// CHECK-LABEL: @window
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @window(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.range {start = 0 : i64, step = 1 : i64, size = 128 : i64} -> tensor<128xi64>
  %2 = graph.reshape %1 {sizes = array<i64: 128, 1>} : tensor<128xi64> -> tensor<128x1xi64>
  %3 = graph.compare %1, %2 {predicate = "le"} : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %4 = graph.splat 32 : i64 -> tensor<i64>
  %5 = graph.sub %2, %4 : (tensor<128x1xi64>, tensor<i64>) -> tensor<128x1xi64>
  %6 = graph.compare %1, %5 {predicate = "gt"} : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %7 = graph.and %3, %6 : (tensor<128x128xi1>, tensor<128x128xi1>) -> tensor<128x128xi1>
  %8 = graph.splat -6.550400e+04 : f16 -> tensor<f16>
  %9 = graph.where %7, %0, %8 : (tensor<128x128xi1>, tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %10 = graph.softmax %9 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %11 = graph.matmul %10, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %11 : tensor<2x4x128x64xf16>
}

// What a query sees is chosen after the softmax: its weights do not add up to 1.
// CHECK-LABEL: @window_of_weights
// CHECK-NOT:     strategy = "attention"
// CHECK:         func.return
func.func @window_of_weights(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %seen: tensor<128x128xi1>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.softmax %0 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %2 = graph.splat 0.000000e+00 : f16 -> tensor<f16>
  %3 = graph.where %seen, %1, %2 : (tensor<128x128xi1>, tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %4 = graph.matmul %3, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %4 : tensor<2x4x128x64xf16>
}
