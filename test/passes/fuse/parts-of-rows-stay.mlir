// RUN: dlc-opt %s --fuse | filecheck %s

// The products write their columns where they stand in the rows of the whole: no kernel, and an overlay says
// where. It stays, too, where it is laid over one whose readers read what stays as it was.

// CHECK-LABEL: func.func @columns
// CHECK:         %[[A:.*]] = fused_group.group @g0
// CHECK:         %[[B:.*]] = fused_group.group @g1
// CHECK-NOT:     fused_group.group
// CHECK:         graph.overlay %[[A]], %[[B]] {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0, 64>}
// CHECK-LABEL: func.func @chain
// CHECK:         %[[A:.*]] = fused_group.group @g2
// CHECK:         %[[W:.*]] = graph.overlay %[[A]] {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0>}
// CHECK:         %[[B:.*]] = fused_group.group @g3(%[[W]]
// CHECK:           graph.slice
// CHECK:         graph.overlay %[[W]], %[[B]] {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0, 64>}
// CHECK-NOT:     fused_group.group
func.func @columns(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  func.return %2 : tensor<64x128xf32>
}
func.func @chain(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.overlay %0 {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0>} : (tensor<64x64xf32>) -> tensor<64x128xf32>
  %2 = graph.slice %1 {starts = array<i64: 0, 0>, stops = array<i64: 64, 64>, steps = array<i64: 1, 1>} : tensor<64x128xf32> -> tensor<64x64xf32>
  %3 = graph.matmul %2, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = graph.overlay %1, %3 {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0, 64>} : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  func.return %4 : tensor<64x128xf32>
}
