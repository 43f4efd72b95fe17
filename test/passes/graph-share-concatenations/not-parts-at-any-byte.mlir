// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// The second part would begin at the twelfth byte of a row.

// CHECK-LABEL: func.func @misaligned
// CHECK-NOT:     graph.overlay
// CHECK:         graph.concat
// CHECK:         graph.concat
// CHECK-NOT:     graph.overlay
func.func @misaligned(%x: tensor<4x3xf32>) -> (tensor<4x6xf32>, tensor<4x9xf32>) {
  %0 = graph.exp %x : tensor<4x3xf32> -> tensor<4x3xf32>
  %1 = graph.relu %0 : tensor<4x3xf32> -> tensor<4x3xf32>
  %2 = graph.relu %1 : tensor<4x3xf32> -> tensor<4x3xf32>
  %8 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %9 = graph.concat %0, %1, %2 {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x9xf32>
  func.return %8, %9 : tensor<4x6xf32>, tensor<4x9xf32>
}
