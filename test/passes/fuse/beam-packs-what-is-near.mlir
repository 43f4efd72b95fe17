// RUN: dlc-opt %s --fuse=search=beam | filecheck %s

// Two ops that have nothing to do with each other are one kernel with two results (remote fusion).
// A product is none with another one, and takes the op behind it.

// CHECK-LABEL: func.func @main
// CHECK:       fused_group.group @g0
// CHECK:       graph.matmul
// CHECK:       fused_group.group @g1
// CHECK:       graph.matmul
// CHECK-NEXT:  graph.relu
// CHECK:       fused_group.group @g2
// CHECK:       graph.exp
// CHECK-NEXT:  graph.tanh
// CHECK-NOT:   fused_group.group
func.func @main(%x: tensor<512x512xf16>, %y: tensor<512x512xf16>, %s: tensor<4x8xf16>, %t: tensor<4x8xf16>) -> (tensor<512x512xf16>, tensor<4x8xf16>, tensor<4x8xf16>) {
  %0 = graph.matmul %x, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = graph.matmul %0, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %2 = graph.relu %1 : tensor<512x512xf16> -> tensor<512x512xf16>
  %3 = graph.exp %s : tensor<4x8xf16> -> tensor<4x8xf16>
  %4 = graph.tanh %t : tensor<4x8xf16> -> tensor<4x8xf16>
  func.return %2, %3, %4 : tensor<512x512xf16>, tensor<4x8xf16>, tensor<4x8xf16>
}
