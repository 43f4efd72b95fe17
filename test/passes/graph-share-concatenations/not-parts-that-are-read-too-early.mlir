// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// The first part is made of the second one.

// CHECK-LABEL: func.func @read_before
// CHECK-NOT:     graph.overlay
// CHECK:         graph.concat
// CHECK:         graph.concat
// CHECK-NOT:     graph.overlay
func.func @read_before(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x24xf32>) {
  %1 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = graph.relu %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %9 = graph.concat %0, %1, %2 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %8, %9 : tensor<4x16xf32>, tensor<4x24xf32>
}
