// RUN: dlc-opt %s --graph-share-factors=arch=sm_90a | filecheck %s

// No kernel has all of it in fp32: each product is compared alone.
// CHECK-LABEL: @in_fp32
// CHECK:         graph.matmul {{.*}} shared 4
// CHECK:         graph.matmul {{.*}} shared 4
func.func @in_fp32(%q: tensor<32x64x128xf32>, %k: tensor<8x1x4096x128xf32>, %v: tensor<8x1x4096x128xf32>) -> tensor<32x64x128xf32> {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf32> -> tensor<8x4x4096x128xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf32> -> tensor<32x4096x128xf32>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x64x128xf32>, tensor<32x4096x128xf32>) -> tensor<32x64x4096xf32>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<32x64x4096xf32> -> tensor<32x64x1xf32>
  %c = graph.sub %s, %m : (tensor<32x64x4096xf32>, tensor<32x64x1xf32>) -> tensor<32x64x4096xf32>
  %e = graph.exp %c : tensor<32x64x4096xf32> -> tensor<32x64x4096xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x64x4096xf32> -> tensor<32x64x1xf32>
  %w = graph.div %e, %t : (tensor<32x64x4096xf32>, tensor<32x64x1xf32>) -> tensor<32x64x4096xf32>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 4096, 128>} : tensor<8x1x4096x128xf32> -> tensor<8x4x4096x128xf32>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 4096, 128>} : tensor<8x4x4096x128xf32> -> tensor<32x4096x128xf32>
  %y = graph.matmul %w, %8 : (tensor<32x64x4096xf32>, tensor<32x4096x128xf32>) -> tensor<32x64x128xf32>
  func.return %y : tensor<32x64x128xf32>
}

// There is nothing to save where the launch is all that takes time.
// CHECK-LABEL: @tiny_in_fp32
// CHECK-NOT:     shared
func.func @tiny_in_fp32(%q: tensor<32x1x8xf32>, %k: tensor<8x1x31x8xf32>, %v: tensor<8x1x31x8xf32>) -> tensor<32x1x8xf32> {
  %0 = graph.broadcast %k {sizes = array<i64: 8, 4, 31, 8>} : tensor<8x1x31x8xf32> -> tensor<8x4x31x8xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 32, 31, 8>} : tensor<8x4x31x8xf32> -> tensor<32x31x8xf32>
  %s = graph.matmul %q, %1 transpose_rhs : (tensor<32x1x8xf32>, tensor<32x31x8xf32>) -> tensor<32x1x31xf32>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<32x1x31xf32> -> tensor<32x1x1xf32>
  %c = graph.sub %s, %m : (tensor<32x1x31xf32>, tensor<32x1x1xf32>) -> tensor<32x1x31xf32>
  %e = graph.exp %c : tensor<32x1x31xf32> -> tensor<32x1x31xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<32x1x31xf32> -> tensor<32x1x1xf32>
  %w = graph.div %e, %t : (tensor<32x1x31xf32>, tensor<32x1x1xf32>) -> tensor<32x1x31xf32>
  %7 = graph.broadcast %v {sizes = array<i64: 8, 4, 31, 8>} : tensor<8x1x31x8xf32> -> tensor<8x4x31x8xf32>
  %8 = graph.reshape %7 {sizes = array<i64: 32, 31, 8>} : tensor<8x4x31x8xf32> -> tensor<32x31x8xf32>
  %y = graph.matmul %w, %8 : (tensor<32x1x31xf32>, tensor<32x31x8xf32>) -> tensor<32x1x8xf32>
  func.return %y : tensor<32x1x8xf32>
}
