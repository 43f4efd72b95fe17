// RUN: dlc-opt %s --graph-merge-products=arch=sm_90a | filecheck %s
// RUN: dlc-opt %S/attention.mlir --graph-merge-products=arch=cpu-avx2 | filecheck %s
// CHECK-NOT: graph.concat

// A gate and what it opens: the second product computes the product of both.
func.func @gate(%x: tensor<128x768xf16>) -> tensor<128x768xf16> {
  %u = graph.weight @u : tensor<768x768xf16>
  %v = graph.weight @v : tensor<768x768xf16>
  %0 = graph.matmul %x, %u : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %1 = graph.matmul %x, %v : (tensor<128x768xf16>, tensor<768x768xf16>) -> tensor<128x768xf16>
  %g = graph.sigmoid %0 : tensor<128x768xf16> -> tensor<128x768xf16>
  %y = graph.mul %g, %1 : (tensor<128x768xf16>, tensor<128x768xf16>) -> tensor<128x768xf16>
  func.return %y : tensor<128x768xf16>
}

// Factors that are no constants, that lie the other way round, or that belong to other tensors.
func.func @unlike(%x: tensor<768x768xf16>, %z: tensor<768x768xf16>) -> (tensor<768x768xf16>, tensor<768x768xf16>, tensor<768x768xf16>, tensor<768x768xf16>) {
  %u = graph.weight @u2 : tensor<768x768xf16>
  %v = graph.weight @v2 : tensor<768x768xf16>
  %0 = graph.matmul %x, %u : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  %1 = graph.matmul %x, %v transpose_rhs : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  %2 = graph.matmul %x, %z : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  %3 = graph.matmul %z, %u : (tensor<768x768xf16>, tensor<768x768xf16>) -> tensor<768x768xf16>
  func.return %0, %1, %2, %3 : tensor<768x768xf16>, tensor<768x768xf16>, tensor<768x768xf16>, tensor<768x768xf16>
}

// The weight is the other factor, too.
func.func @lhs() -> (tensor<64x64xf16>, tensor<64x64xf16>) {
  %u = graph.weight @u3 : tensor<64x64xf16>
  %v = graph.weight @v3 : tensor<64x64xf16>
  %0 = graph.matmul %u, %u : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.matmul %u, %v : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  func.return %0, %1 : tensor<64x64xf16>, tensor<64x64xf16>
}

// Factors of other types, and those that are many matrices.
func.func @types(%x: tensor<128x768xi8>) -> (tensor<128x768xi32>, tensor<128x768xi32>) {
  %u = graph.weight @u4 : tensor<768x768xi8>
  %v = graph.weight @v4 : tensor<768x768xui8>
  %0 = graph.matmul %x, %u : (tensor<128x768xi8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  %1 = graph.matmul %x, %v : (tensor<128x768xi8>, tensor<768x768xui8>) -> tensor<128x768xi32>
  func.return %0, %1 : tensor<128x768xi32>, tensor<128x768xi32>
}

func.func @many(%x: tensor<2x128x768xf16>) -> (tensor<2x128x768xf16>, tensor<2x128x768xf16>) {
  %u = graph.weight @u5 : tensor<2x768x768xf16>
  %v = graph.weight @v5 : tensor<2x768x768xf16>
  %0 = graph.matmul %x, %u : (tensor<2x128x768xf16>, tensor<2x768x768xf16>) -> tensor<2x128x768xf16>
  %1 = graph.matmul %x, %v : (tensor<2x128x768xf16>, tensor<2x768x768xf16>) -> tensor<2x128x768xf16>
  func.return %0, %1 : tensor<2x128x768xf16>, tensor<2x128x768xf16>
}

// One column more: rows of the result would begin anywhere, and all of it take longer.
func.func @slower(%x: tensor<8192x768xf16>) -> (tensor<8192x3072xf16>, tensor<8192x1xf16>) {
  %u = graph.weight @u6 : tensor<768x3072xf16>
  %v = graph.weight @v6 : tensor<768x1xf16>
  %0 = graph.matmul %x, %u : (tensor<8192x768xf16>, tensor<768x3072xf16>) -> tensor<8192x3072xf16>
  %1 = graph.matmul %x, %v : (tensor<8192x768xf16>, tensor<768x1xf16>) -> tensor<8192x1xf16>
  func.return %0, %1 : tensor<8192x3072xf16>, tensor<8192x1xf16>
}
