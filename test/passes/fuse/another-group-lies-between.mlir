// RUN: dlc-opt %s --fuse --locations | filecheck %s

// The exponential and the group of the maximum could share a kernel, but the product lies between them.

// CHECK:       fused_group.group @g0
// CHECK-SAME:    boundaries = ["g1: in stages (what a contraction reads is an output, or others read it too: it is stored anyway), one kernel would take at least {{[0-9.e+-]+}} us more", "g2: another group lies between"]
// CHECK:         graph.exp
// CHECK:       fused_group.group @g1
// CHECK:         graph.matmul
// CHECK:       fused_group.group @g2
// CHECK:         graph.mul
// CHECK:       } loc(fused["max", "shifted", "product"])
func.func @main(%x: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.exp %x : tensor<64x64xf32> -> tensor<64x64xf32> loc("exp")
  %1 = graph.matmul %v, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("matmul")
  %2 = graph.reduce_max %1 axes [0] keep_dims : tensor<64x64xf32> -> tensor<1x64xf32> loc("max")
  %3 = graph.sub %1, %2 : (tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<64x64xf32> loc("shifted")
  %4 = graph.mul %3, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("product")
  func.return %4 : tensor<64x64xf32>
}
