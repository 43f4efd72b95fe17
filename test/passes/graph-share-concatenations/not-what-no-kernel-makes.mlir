// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// Nobody can choose where an argument is.

// CHECK-LABEL: func.func @argument
// CHECK-NOT:     graph.overlay
// CHECK:         graph.concat
// CHECK:         graph.concat
// CHECK-NOT:     graph.overlay
func.func @argument(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x24xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = graph.concat %x, %1 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %9 = graph.concat %x, %1, %2 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %8, %9 : tensor<4x16xf32>, tensor<4x24xf32>
}
