// RUN: dlc-opt %s --fuse | filecheck %s

// Bias, activation and residual become the epilogue of the product; a constant is copied into the group.

// CHECK-LABEL: func.func @main
// CHECK:       %{{.*}} = fused_group.group @g0(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK-SAME:    -> tensor<128x64xf16> attributes {
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.constant
// CHECK-NEXT:    graph.mul
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    fused_group.yield
// CHECK-NOT:   fused_group.group
func.func @main(%x: tensor<128x768xf16>, %r: tensor<128x64xf16>) -> tensor<128x64xf16> {
  %w = graph.weight @w : tensor<768x64xf16>
  %b = graph.weight @b : tensor<64xf16>
  %c = graph.constant dense<2.0> : tensor<1xf16>
  %0 = graph.matmul %x, %w : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
  %1 = graph.add %0, %b : (tensor<128x64xf16>, tensor<64xf16>) -> tensor<128x64xf16>
  %2 = graph.relu %1 : tensor<128x64xf16> -> tensor<128x64xf16>
  %3 = graph.mul %2, %c : (tensor<128x64xf16>, tensor<1xf16>) -> tensor<128x64xf16>
  %4 = graph.add %3, %r : (tensor<128x64xf16>, tensor<128x64xf16>) -> tensor<128x64xf16>
  func.return %4 : tensor<128x64xf16>
}
