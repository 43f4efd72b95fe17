// RUN: dlc-opt %s --graph-share-factors=arch=sm_90a | filecheck %s

// Where only values are repeated, scores and weights of one kernel would have other rows.
// CHECK-LABEL: @only_values
// CHECK-NOT:     shared
func.func @only_values(%q: tensor<32x1x128xf16>, %k: tensor<32x4096x128xf16>, %v: tensor<8x1x4096x128xf16>) -> tensor<32x1x128xf16> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<32x1x128xf16>, tensor<32x4096x128xf16>) -> tensor<32x1x4096xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<32x1x4096xf16> -> tensor<32x1x1xf16>
  %c = graph.sub %s, %m : (tensor<32x1x4096xf16>, tensor<32x1x1xf16>) -> tensor<32x1x4096xf16>
  %e = graph.exp %c : tensor<32x1x4096xf16> -> tensor<32x1x4096xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x1x4096xf16> -> tensor<32x1x1xf16>
  %w = graph.div %e, %t : (tensor<32x1x4096xf16>, tensor<32x1x1xf16>) -> tensor<32x1x4096xf16>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf16> -> tensor<8x4x4096x128xf16>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf16> -> tensor<32x4096x128xf16>
  %y = graph.matmul %w, %8 : (tensor<32x1x4096xf16>, tensor<32x4096x128xf16>) -> tensor<32x1x128xf16>
  func.return %y : tensor<32x1x128xf16>
}
