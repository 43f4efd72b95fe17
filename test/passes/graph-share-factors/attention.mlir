// RUN: dlc-opt %s --graph-share-factors=arch=sm_90a | filecheck %s

// A word after 4096 others reads keys and values once for the four heads of a group.
// CHECK-LABEL: @one_query
// CHECK:         graph.matmul {{.*}} shared 4
// CHECK:         graph.matmul {{.*}} shared 4
func.func @one_query(%q: tensor<32x1x128xf16>, %k: tensor<8x1x4096x128xf16>, %v: tensor<8x1x4096x128xf16>) -> tensor<32x1x128xf16> {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf16> -> tensor<8x4x4096x128xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf16> -> tensor<32x4096x128xf16>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x1x128xf16>, tensor<32x4096x128xf16>) -> tensor<32x1x4096xf16>
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

// Reading keys once saves nothing where queries of a head fill blocks; as far as the plans can tell, it takes as long.
// CHECK-LABEL: @many_queries
// CHECK:         graph.matmul {{.*}} shared 4
// CHECK:         graph.matmul {{.*}} shared 4
func.func @many_queries(%q: tensor<32x2048x128xf16>, %k: tensor<8x1x2048x128xf16>, %v: tensor<8x1x2048x128xf16>) -> tensor<32x2048x128xf16> {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 2048, 128>} : tensor<8x1x2048x128xf16> -> tensor<8x4x2048x128xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 2048, 128>} : tensor<8x4x2048x128xf16> -> tensor<32x2048x128xf16>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x2048x128xf16>, tensor<32x2048x128xf16>) -> tensor<32x2048x2048xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<32x2048x2048xf16> -> tensor<32x2048x1xf16>
  %c = graph.sub %s, %m : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %e = graph.exp %c : tensor<32x2048x2048xf16> -> tensor<32x2048x2048xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x2048x2048xf16> -> tensor<32x2048x1xf16>
  %w = graph.div %e, %t : (tensor<32x2048x2048xf16>, tensor<32x2048x1xf16>) -> tensor<32x2048x2048xf16>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 2048, 128>} : tensor<8x1x2048x128xf16> -> tensor<8x4x2048x128xf16>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 2048, 128>} : tensor<8x4x2048x128xf16> -> tensor<32x2048x128xf16>
  %y = graph.matmul %w, %8 : (tensor<32x2048x2048xf16>, tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  func.return %y : tensor<32x2048x128xf16>
}
