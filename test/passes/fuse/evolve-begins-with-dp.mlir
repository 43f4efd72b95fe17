// RUN: dlc-opt %s --fuse=search=evolve | filecheck %s
// RUN: dlc-opt %s --fuse=search=evolve > %t.first
// RUN: dlc-opt %s --fuse="search=evolve seed=0" > %t.second
// RUN: diff %t.first %t.second

// Three ops that have little to do with each other share a kernel, as dp finds; the draws of a seed
// are the same each time.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: fused_group.group
// CHECK-NOT:     fused_group.group
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.tanh %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %y : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
