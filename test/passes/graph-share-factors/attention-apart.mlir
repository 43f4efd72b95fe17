// RUN: dlc-opt %s --graph-share-factors=arch=sm_90a | filecheck %s

// Blocks of one head leave out the keys that come later: half of all.
// CHECK-LABEL: @causal
// CHECK-NOT:     shared
func.func @causal(%q: tensor<32x2048x128xf16>, %k: tensor<8x1x2048x128xf16>, %v: tensor<8x1x2048x128xf16>) -> (tensor<32x2048x128xf16>, tensor<32x2048x128xf16>) {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 2048, 128>} : tensor<8x1x2048x128xf16> -> tensor<8x4x2048x128xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 2048, 128>} : tensor<8x4x2048x128xf16> -> tensor<32x2048x128xf16>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x2048x128xf16>, tensor<32x2048x128xf16>) -> tensor<32x2048x2048xf16>
  %2 = graph.range {start = 0 : i64, step = 1 : i64, size = 2048 : i64} -> tensor<2048xi64>
  %3 = graph.reshape %2 {sizes = array<i64: 2048, 1>} : tensor<2048xi64> -> tensor<2048x1xi64>
  %4 = graph.compare %2, %3 {predicate = "le"} : (tensor<2048xi64>, tensor<2048x1xi64>) -> tensor<2048x2048xi1>
  %5 = graph.splat 0xfc00 : f16 -> tensor<f16>
  %6 = graph.where %4, %s, %5 : (tensor<2048x2048xi1>, tensor<32x2048x2048xf16>, tensor<f16>) -> tensor<32x2048x2048xf16>
  %m = graph.reduce_max %6 axes [2] keep_dims : tensor<32x2048x2048xf16> -> tensor<32x2048x1xf16>
  %c = graph.sub %6, %m : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %e = graph.exp %c : tensor<32x2048x2048xf16> -> tensor<32x2048x2048xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x2048x2048xf16> -> tensor<32x2048x1xf16>
  %w = graph.div %e, %t : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 2048, 128>} : tensor<8x1x2048x128xf16> -> tensor<8x4x2048x128xf16>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 2048, 128>} : tensor<8x4x2048x128xf16> -> tensor<32x2048x128xf16>
  %y = graph.matmul %w, %8 : (tensor<32x2048x2048xf16>, tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  %z = graph.tanh %q : tensor<32x2048x128xf16> -> tensor<32x2048x128xf16>
  func.return %y, %z : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>
}

// As rows of eight products 64 queries fill fewer blocks than as those of 32.
// CHECK-LABEL: @few_blocks
// CHECK-NOT:     shared
func.func @few_blocks(%q: tensor<32x64x128xf16>, %k: tensor<8x1x4096x128xf16>, %v: tensor<8x1x4096x128xf16>) -> tensor<32x64x128xf16> {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf16> -> tensor<8x4x4096x128xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf16> -> tensor<32x4096x128xf16>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x64x128xf16>, tensor<32x4096x128xf16>) -> tensor<32x64x4096xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<32x64x4096xf16> -> tensor<32x64x1xf16>
  %c = graph.sub %s, %m : (tensor<32x64x4096xf16>, tensor<32x64x1xf16>) -> tensor<32x64x4096xf16>
  %e = graph.exp %c : tensor<32x64x4096xf16> -> tensor<32x64x4096xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x64x4096xf16> -> tensor<32x64x1xf16>
  %w = graph.div %e, %t : (tensor<32x64x4096xf16>, tensor<32x64x1xf16>) -> tensor<32x64x4096xf16>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf16> -> tensor<8x4x4096x128xf16>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf16> -> tensor<32x4096x128xf16>
  %y = graph.matmul %w, %8 : (tensor<32x64x4096xf16>, tensor<32x4096x128xf16>) -> tensor<32x64x128xf16>
  func.return %y : tensor<32x64x128xf16>
}
