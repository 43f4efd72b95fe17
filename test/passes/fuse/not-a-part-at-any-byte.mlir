// RUN: dlc-opt %s --fuse | filecheck %s

// No buffer begins at the twelfth byte of a row: a kernel joins these.

// CHECK-LABEL: func.func @begins_between
// CHECK-NOT:     graph.overlay
// CHECK:         graph.concat
// CHECK-NEXT:    fused_group.yield
func.func @begins_between(%x: tensor<64x64xf32>, %v: tensor<64x3xf32>, %w: tensor<64x64xf32>) -> tensor<64x67xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x3xf32>) -> tensor<64x3xf32>
  %1 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<64x3xf32>, tensor<64x64xf32>) -> tensor<64x67xf32>
  func.return %2 : tensor<64x67xf32>
}
