// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// A factor and a summand of each score: the first GPT-2.
// CHECK-LABEL: @weighed
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @weighed(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %b: tensor<128x128xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.mul %0, %b : (tensor<2x4x128x128xf16>, tensor<128x128xf16>) -> tensor<2x4x128x128xf16>
  %2 = graph.splat 1.0 : f16 -> tensor<f16>
  %3 = graph.sub %2, %b : (tensor<f16>, tensor<128x128xf16>) -> tensor<128x128xf16>
  %4 = graph.splat -10000.0 : f16 -> tensor<f16>
  %5 = graph.mul %3, %4 : (tensor<128x128xf16>, tensor<f16>) -> tensor<128x128xf16>
  %6 = graph.add %1, %5 : (tensor<2x4x128x128xf16>, tensor<128x128xf16>) -> tensor<2x4x128x128xf16>
  %7 = graph.softmax %6 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %8 = graph.matmul %7, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %8 : tensor<2x4x128x64xf16>
}

// Keys up to the length of their sequence, and up to the query itself, by their places.
// CHECK-LABEL: @lengths
// CHECK-NOT:     strategy = "{{[^a]}}
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @lengths(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %lengths: tensor<2x1x1x1xi64>) -> tensor<2x4x128x64xf16> {
  %0 = graph.range {start = 0 : i64, step = 1 : i64, size = 128 : i64} -> tensor<128xi64>
  %1 = graph.range {start = 0 : i64, step = 1 : i64, size = 128 : i64} -> tensor<128xi64>
  %2 = graph.reshape %1 {sizes = array<i64: 128, 1>} : tensor<128xi64> -> tensor<128x1xi64>
  %3 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %4 = graph.splat 0.125 : f16 -> tensor<f16>
  %5 = graph.mul %3, %4 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %6 = graph.compare %0, %lengths {predicate = "lt"} : (tensor<128xi64>, tensor<2x1x1x1xi64>) -> tensor<2x1x1x128xi1>
  %7 = graph.splat 0xFC00 : f16 -> tensor<f16>
  %8 = graph.where %6, %5, %7 : (tensor<2x1x1x128xi1>, tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %9 = graph.range {start = 0 : i64, step = 1 : i64, size = 128 : i64} -> tensor<128xi64>
  %10 = graph.compare %9, %2 {predicate = "le"} : (tensor<128xi64>, tensor<128x1xi64>) -> tensor<128x128xi1>
  %11 = graph.splat 0xFC00 : f16 -> tensor<f16>
  %12 = graph.where %10, %8, %11 : (tensor<128x128xi1>, tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %13 = graph.softmax %12 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %14 = graph.matmul %13, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %14 : tensor<2x4x128x64xf16>
}
