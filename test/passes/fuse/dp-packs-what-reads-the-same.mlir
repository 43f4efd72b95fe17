// RUN: dlc-opt %s --fuse=search=dp | filecheck %s
// RUN: dlc-opt %s --fuse=search=greedy | filecheck %s --check-prefix=GREEDY

// Two ops that read the same tensor, and a third one near by that has nothing to do with them, are
// one kernel with three results. Greedy merges only what one computes and the other reads.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: fused_group.group
// CHECK-NOT:     fused_group.group

// GREEDY-COUNT-3: fused_group.group
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.tanh %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %y : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
