// RUN: dlc-opt %s --fuse | filecheck %s

// Each element of the product is finished where it is, whatever the order of axes; the sum of a matrix and
// its transpose needs two elements of the product, so the addition is another kernel.

// CHECK-LABEL: func.func @one
// CHECK:       fused_group.group @g0
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    fused_group.yield
// CHECK-NOT:   fused_group.group
// CHECK-LABEL: func.func @two
// CHECK:       fused_group.group @g1
// CHECK:         graph.matmul
// CHECK:       fused_group.group @g2
// CHECK:         graph.add
func.func @one(%x: tensor<128x64xf32>, %v: tensor<64x64xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %x, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : tensor<128x64xf32> -> tensor<64x128xf32>
  %2 = graph.relu %1 : tensor<64x128xf32> -> tensor<64x128xf32>
  %3 = graph.add %2, %b : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  func.return %3 : tensor<64x128xf32>
}
func.func @two(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = graph.add %1, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %2 : tensor<64x64xf32>
}
