// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// The second one does not begin as the first one.

// CHECK-LABEL: func.func @another_order
// CHECK-NOT:     graph.overlay
// CHECK:         graph.concat
// CHECK:         graph.concat
// CHECK-NOT:     graph.overlay
func.func @another_order(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x24xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = graph.concat %1, %0 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %9 = graph.concat %0, %1, %2 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %8, %9 : tensor<4x16xf32>, tensor<4x24xf32>
}
