// RUN: dlc-opt %s --fuse | filecheck %s

// The concatenation needs no kernel where others give its operands, so there is nothing to save by joining it:
// each relu goes where its operand is computed. Operands that no kernel gives anyway are better made by
// one kernel with the concatenation than by one each.

// CHECK-LABEL: func.func @steps
// CHECK:         %[[A:.*]], %[[B:.*]] = fused_group.group @g0
// CHECK:           graph.exp
// CHECK-NEXT:      graph.relu
// CHECK:         %[[C:.*]], %[[D:.*]] = fused_group.group @g1
// CHECK:           graph.exp
// CHECK-NEXT:      graph.relu
// CHECK-NOT:     fused_group.group
// CHECK:         graph.concat
// CHECK-NOT:     fused_group.group
// CHECK-LABEL: func.func @parts
// CHECK:         fused_group.group @g2
// CHECK:           graph.concat
// CHECK-NOT:     fused_group.group
func.func @steps(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<128x64xf32>) {
  %0 = graph.exp %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = graph.exp %y : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = graph.relu %0 : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = graph.relu %1 : tensor<64x64xf32> -> tensor<64x64xf32>
  %4 = graph.concat %2, %3 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %0, %1, %4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<128x64xf32>
}
func.func @parts(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %z: tensor<64x64xf32>) -> tensor<192x64xf32> {
  %0 = graph.exp %x : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = graph.exp %y : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = graph.exp %z : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = graph.concat %0, %1, %2 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<192x64xf32>
  func.return %3 : tensor<192x64xf32>
}
