// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s

// A decoder returns all values that it attends to, past and new. Who asks why they are copied before
// the product that reads them is told that they are an output.

// CHECK:       fused_group.group @g0
// CHECK-SAME:    boundaries = ["g1: what a contraction reads is an output, or others read it too: it is stored anyway"]
// CHECK:         graph.concat
// CHECK:       fused_group.group @g1
// CHECK:         graph.matmul
func.func @main(%w: tensor<8x1x256xf32>, %past: tensor<8x255x64xf32>, %new: tensor<8x1x64xf32>) -> (tensor<8x1x64xf32>, tensor<8x256x64xf32>) {
  %0 = graph.concat %past, %new {axis = 1 : i64} : (tensor<8x255x64xf32>, tensor<8x1x64xf32>) -> tensor<8x256x64xf32>
  %1 = graph.matmul %w, %0 : (tensor<8x1x256xf32>, tensor<8x256x64xf32>) -> tensor<8x1x64xf32>
  func.return %1, %0 : tensor<8x1x64xf32>, tensor<8x256x64xf32>
}
