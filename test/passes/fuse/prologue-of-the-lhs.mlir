// RUN: dlc-opt %s --fuse | filecheck %s

// A cheap op that only the lhs reads is computed where the lhs is read; one that feeds the rhs is not.

// CHECK:       fused_group.group @g0(%y)
// CHECK-SAME:    boundaries = ["g1: only the lhs of a contraction takes a prologue"]
// CHECK:         graph.relu
// CHECK:       fused_group.group @g1
// CHECK:         graph.add
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    fused_group.yield
func.func @main(%x: tensor<128x64xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.add %x, %x : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %1 = graph.relu %y : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = graph.matmul %0, %1 : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %2 : tensor<128x64xf32>
}
