// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// Two go on in different ways from the same beginning: the first one has it, the other one is copied.

// CHECK-LABEL: func.func @two_ways
// CHECK:         graph.overlay
// CHECK:         graph.overlay
// CHECK:         graph.overlay
// CHECK-NOT:     graph.overlay
// CHECK:         %[[A:.*]] = graph.slice %{{.*}} {starts = array<i64: 0, 0>
// CHECK-NEXT:    %[[B:.*]] = graph.slice %{{.*}} {starts = array<i64: 0, 8>
// CHECK-NEXT:    graph.concat %[[A]], %[[B]], %{{.*}} {axis = 1 : i64}
// CHECK-NOT:     graph.concat
func.func @two_ways(%x: tensor<4x8xf32>) -> (tensor<4x16xf32>, tensor<4x24xf32>, tensor<4x24xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.exp %2 : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %9 = graph.concat %0, %1, %2 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  %10 = graph.concat %0, %1, %3 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %8, %9, %10 : tensor<4x16xf32>, tensor<4x24xf32>, tensor<4x24xf32>
}
