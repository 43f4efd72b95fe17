// RUN: dlc-opt %s --fuse | filecheck %s

// A reshape costs nothing between kernels. In front of a transpose that ends a product's group it is
// copied into the group.

// CHECK:       fused_group.group @g0
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    fused_group.yield %{{.*}} : tensor<4x128x16xf32>
// CHECK:       %[[V:.*]] = graph.reshape
// CHECK-NEXT:  fused_group.group @g1(%[[V]], %{{.*}}) :
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    fused_group.yield
func.func @main(%x: tensor<128x64xf32>, %v: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 128, 4, 16>} : tensor<128x64xf32> -> tensor<128x4x16xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0, 2>} : tensor<128x4x16xf32> -> tensor<4x128x16xf32>
  %3 = graph.reshape %2 {sizes = array<i64: 128, 64>} : tensor<4x128x16xf32> -> tensor<128x64xf32>
  %4 = graph.matmul %3, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %4 : tensor<128x64xf32>
}
