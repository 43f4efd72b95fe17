// RUN: dlc-opt %s --fuse=search=evolve | filecheck %s

// Two products have no kernel together: no change of the groups puts them in one.

// CHECK:      fused_group.group @g0
// CHECK:      graph.matmul
// CHECK:      fused_group.group @g1
// CHECK:      graph.matmul
// CHECK-NEXT: graph.relu
func.func @main(%x: tensor<512x512xf16>, %y: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %0 = graph.matmul %x, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %1 = graph.matmul %0, %y : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %2 = graph.relu %1 : tensor<512x512xf16> -> tensor<512x512xf16>
  func.return %2 : tensor<512x512xf16>
}
