// RUN: dlc-opt %s --fuse | filecheck %s

// One product for queries and keys: each part is a result of its own, and the whole is not stored.

// CHECK:       %{{.*}}, %{{.*}} = fused_group.group @g0(%x, %w) : (tensor<128x64xf32>, tensor<64x128xf32>) -> (tensor<128x64xf32>, tensor<64x128xf32>) attributes {
// CHECK-NOT:   fused_group.group
func.func @main(%x: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<64x128xf32>) {
  %w = graph.weight @w : tensor<64x128xf32>
  %0 = graph.matmul %x, %w : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>
  %1 = graph.slice %0 {starts = array<i64: 0, 0>, stops = array<i64: 128, 64>, steps = array<i64: 1, 1>} : tensor<128x128xf32> -> tensor<128x64xf32>
  %2 = graph.slice %0 {starts = array<i64: 0, 64>, stops = array<i64: 128, 128>, steps = array<i64: 1, 1>} : tensor<128x128xf32> -> tensor<128x64xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 1, 0>} : tensor<128x64xf32> -> tensor<64x128xf32>
  func.return %1, %3 : tensor<128x64xf32>, tensor<64x128xf32>
}
