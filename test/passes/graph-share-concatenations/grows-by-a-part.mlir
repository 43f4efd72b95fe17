// RUN: dlc-opt %s --graph-share-concatenations | filecheck %s

// The first part is read alone, the first two and all three together: each time what is there by then.

// CHECK-LABEL: func.func @grows
// CHECK:         %[[A:.*]] = graph.exp %x
// CHECK-NEXT:    %[[W0:.*]] = graph.overlay %[[A]] {axis = 1 : i64, size = 24 : i64, starts = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4x24xf32>
// CHECK-NEXT:    %[[S0:.*]] = graph.slice %[[W0]] {starts = array<i64: 0, 0>, stops = array<i64: 4, 8>,
// CHECK-NEXT:    %[[B:.*]] = graph.relu %[[S0]]
// CHECK-NEXT:    %[[W1:.*]] = graph.overlay %[[W0]], %[[B]] {axis = 1 : i64, size = 24 : i64, starts = array<i64: 0, 8>}
// CHECK-NEXT:    %[[S1:.*]] = graph.slice %[[W1]] {starts = array<i64: 0, 0>, stops = array<i64: 4, 16>,
// CHECK-NEXT:    graph.relu %[[S1]]
// CHECK-NEXT:    %[[S2:.*]] = graph.slice %[[W1]] {starts = array<i64: 0, 0>, stops = array<i64: 4, 16>,
// CHECK-NEXT:    graph.exp %[[S2]]
// CHECK:         %[[C:.*]] = graph.add
// CHECK-NEXT:    %[[W2:.*]] = graph.overlay %[[W1]], %[[C]] {axis = 1 : i64, size = 24 : i64, starts = array<i64: 0, 16>}
// CHECK-NEXT:    func.return %[[W2]]
func.func @grows(%x: tensor<4x8xf32>) -> tensor<4x24xf32> {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %3 = graph.relu %2 : tensor<4x16xf32> -> tensor<4x16xf32>
  %4 = graph.exp %2 : tensor<4x16xf32> -> tensor<4x16xf32>
  %5 = graph.slice %3 {starts = array<i64: 0, 0>, stops = array<i64: 4, 8>, steps = array<i64: 1, 1>} : tensor<4x16xf32> -> tensor<4x8xf32>
  %6 = graph.slice %4 {starts = array<i64: 0, 0>, stops = array<i64: 4, 8>, steps = array<i64: 1, 1>} : tensor<4x16xf32> -> tensor<4x8xf32>
  %7 = graph.add %5, %6 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %8 = graph.concat %0, %1, %7 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %8 : tensor<4x24xf32>
}
