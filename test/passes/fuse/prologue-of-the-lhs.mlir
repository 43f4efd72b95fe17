// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// An op that only the lhs reads is computed where the lhs is read; one that feeds the rhs is not. The lhs
// then goes through registers: for a small one that lies apart this takes longer than a kernel more.

// CHECK-LABEL: func.func @large
// CHECK:       fused_group.group @g0(%y)
// CHECK-SAME:    boundaries = ["g1: in stages (only the lhs of a contraction takes a prologue that computes), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         graph.relu
// CHECK:       fused_group.group @g1
// CHECK:         graph.add
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    fused_group.yield
// CHECK-LABEL: func.func @small
// CHECK:       fused_group.group @g2(%x)
// CHECK-SAME:    boundaries = ["g3: one kernel would take {{[0-9.]+}} us more"]
// CHECK:         graph.add
// CHECK:       fused_group.group @g3
// CHECK:         graph.matmul
func.func @large(%x: tensor<65536x512xf32>, %y: tensor<512x64xf32>) -> tensor<65536x64xf32> {
  %0 = graph.add %x, %x : (tensor<65536x512xf32>, tensor<65536x512xf32>) -> tensor<65536x512xf32>
  %1 = graph.relu %y : tensor<512x64xf32> -> tensor<512x64xf32>
  %2 = graph.matmul %0, %1 : (tensor<65536x512xf32>, tensor<512x64xf32>) -> tensor<65536x64xf32>
  func.return %2 : tensor<65536x64xf32>
}
func.func @small(%x: tensor<64x128xf32>, %y: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %t = graph.transpose %x {permutation = array<i64: 1, 0>} : tensor<64x128xf32> -> tensor<128x64xf32>
  %0 = graph.add %t, %t : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  %1 = graph.matmul %0, %y : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %1 : tensor<128x64xf32>
}
