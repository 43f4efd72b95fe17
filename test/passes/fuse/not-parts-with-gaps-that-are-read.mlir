// RUN: dlc-opt %s --fuse | filecheck %s

// Kernels write the zeros that are read between parts, and a copy of a tensor that another one still reads
// where a part is laid over it.

// CHECK-LABEL: func.func @gaps
// CHECK:         graph.overlay
// CHECK-NEXT:    fused_group.yield
// CHECK-LABEL: func.func @still_read
// CHECK:         graph.overlay
// CHECK-NEXT:    fused_group.yield
func.func @gaps(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.overlay %0 {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0>} : (tensor<64x64xf32>) -> tensor<64x128xf32>
  func.return %1 : tensor<64x128xf32>
}
func.func @still_read(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>, %u: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x64xf32>) {
  %0 = graph.matmul %x, %u : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.overlay %0, %1 {axis = 1 : i64, size = 128 : i64, starts = array<i64: 0, 32>} : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %3 = graph.slice %0 {starts = array<i64: 0, 0>, stops = array<i64: 64, 64>, steps = array<i64: 1, 1>} : tensor<64x128xf32> -> tensor<64x64xf32>
  %4 = graph.matmul %3, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %2, %4 : tensor<64x128xf32>, tensor<64x64xf32>
}
