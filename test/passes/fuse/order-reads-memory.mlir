// RUN: dlc-opt %s --fuse=arch=sm_90a --split-input-file | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx512 --split-input-file | filecheck %s

// An element computed where it is read may round differently at two places; then two elements have one rank.

// CHECK-LABEL: @computed
// CHECK: fused_group.group @g0{{.*}}boundaries = ["g1: an order of elements that are not in memory"]
// CHECK: graph.exp
// CHECK: fused_group.group @g1
// CHECK: graph.rank
func.func @computed(%x: tensor<4x8xf32>) -> tensor<4x8xi64> {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.rank %0 axis 1 : tensor<4x8xf32> -> tensor<4x8xi64>
  func.return %1 : tensor<4x8xi64>
}

// -----

// CHECK-LABEL: @moved
// CHECK: fused_group.group @g0
// CHECK: graph.transpose
// CHECK-NEXT: graph.rank
// CHECK-NOT: fused_group.group
func.func @moved(%x: tensor<8x4xf32>) -> tensor<4x8xi64> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = graph.rank %0 axis 1 : tensor<4x8xf32> -> tensor<4x8xi64>
  func.return %1 : tensor<4x8xi64>
}
