// RUN: dlc-opt %s --fuse | filecheck %s

// The products write their rows where they stand in the whole: no kernel. An op between a product and the
// concatenation is the product's own. An argument, an operand that stands there twice and one that
// is elsewhere already have to be copied.

// CHECK-LABEL: func.func @rows
// CHECK:         %[[A:.*]] = fused_group.group @g0
// CHECK:         %[[B:.*]] = fused_group.group @g1
// CHECK:           graph.relu
// CHECK-NOT:     fused_group.group
// CHECK:         graph.concat %[[A]], %[[B]]
// CHECK-LABEL: func.func @argument
// CHECK:         fused_group.group @g3
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
// CHECK-LABEL: func.func @twice
// CHECK:         fused_group.group @g5
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
// CHECK-LABEL: func.func @elsewhere
// CHECK:         fused_group.group @g8
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
// CHECK:         graph.concat
func.func @rows(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.relu %1 : tensor<64x64xf32> -> tensor<64x64xf32>
  %3 = graph.concat %0, %2 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %3 : tensor<128x64xf32>
}
func.func @argument(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.concat %0, %x {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %1 : tensor<128x64xf32>
}
func.func @twice(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.concat %0, %0 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %1 : tensor<128x64xf32>
}
func.func @elsewhere(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %0, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.concat %0, %1 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %3 = graph.concat %1, %0 {axis = 0 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %2, %3 : tensor<128x64xf32>, tensor<128x64xf32>
}
