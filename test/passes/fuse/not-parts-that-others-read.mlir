// RUN: dlc-opt %s --fuse | filecheck %s

// Joined by a kernel: a part that another kernel reads, one that the model gives, and an argument.

// CHECK-LABEL: func.func @read_elsewhere
// CHECK-NOT:     graph.overlay
// CHECK:         fused_group.group @g2
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
// CHECK-LABEL: func.func @given
// CHECK-NOT:     graph.overlay
// CHECK:         fused_group.group @g6
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
// CHECK-LABEL: func.func @argument
// CHECK-NOT:     graph.overlay
// CHECK:         fused_group.group @g8
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.concat
func.func @read_elsewhere(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x128xf32>, tensor<64x64xf32>) {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %3 = graph.matmul %1, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %2, %3 : tensor<64x128xf32>, tensor<64x64xf32>
}
func.func @given(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x128xf32>, tensor<64x64xf32>) {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  func.return %2, %1 : tensor<64x128xf32>, tensor<64x64xf32>
}
func.func @argument(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.concat %0, %w {axis = 1 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  func.return %1 : tensor<64x128xf32>
}
