// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Copies bring a rhs that lies in another order, with zeros after it. What is no zero has to be written.

// CHECK-LABEL: func.func @zeros
// CHECK:       fused_group.group @g0
// CHECK:         graph.slice
// CHECK-NEXT:    graph.pad
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    fused_group.yield
// CHECK-LABEL: func.func @ones
// CHECK:       fused_group.group @g1
// CHECK-SAME:    boundaries = ["g2: in stages (only the lhs of a contraction takes a prologue that computes), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         graph.pad
// CHECK:       fused_group.group @g2
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:    graph.matmul
func.func @zeros(%x: tensor<768x197x64xf16>, %y: tensor<64x197x36x64xf16>) -> tensor<64x12x197x200xf16> {
  %r = graph.reshape %x {sizes = array<i64: 64, 12, 197, 64>} : tensor<768x197x64xf16> -> tensor<64x12x197x64xf16>
  %s = graph.slice %y {starts = array<i64: 0, 0, 12, 0>, stops = array<i64: 64, 197, 24, 64>, steps = array<i64: 1, 1, 1, 1>} : tensor<64x197x36x64xf16> -> tensor<64x197x12x64xf16>
  %p = graph.pad %s {mode = "constant", value = 0.0 : f16, low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 3, 0, 0>} : tensor<64x197x12x64xf16> -> tensor<64x200x12x64xf16>
  %t = graph.transpose %p {permutation = array<i64: 0, 2, 1, 3>} : tensor<64x200x12x64xf16> -> tensor<64x12x200x64xf16>
  %z = graph.matmul %r, %t transpose_rhs : (tensor<64x12x197x64xf16>, tensor<64x12x200x64xf16>) -> tensor<64x12x197x200xf16>
  func.return %z : tensor<64x12x197x200xf16>
}
func.func @ones(%x: tensor<768x197x64xf16>, %y: tensor<768x197x64xf16>) -> tensor<768x197x200xf16> {
  %p = graph.pad %y {mode = "constant", value = 1.0 : f16, low = array<i64: 0, 0, 0>, high = array<i64: 0, 3, 0>} : tensor<768x197x64xf16> -> tensor<768x200x64xf16>
  %z = graph.matmul %x, %p transpose_rhs : (tensor<768x197x64xf16>, tensor<768x200x64xf16>) -> tensor<768x197x200xf16>
  func.return %z : tensor<768x197x200xf16>
}
