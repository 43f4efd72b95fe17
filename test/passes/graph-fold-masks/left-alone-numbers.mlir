// RUN: dlc-opt %s --graph-fold-masks | filecheck %s
// CHECK-NOT: graph.range

// -1e9 does not hide every score, nor does the lowest number of 16 bits; a choice of another value.
func.func @low(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %x = graph.add %s, %c : (tensor<3x4x4xf32>, tensor<4x4xf32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}

func.func @half(%q: tensor<3x4x8xf16>, %k: tensor<3x4x8xf16>) -> tensor<3x4x8xf16> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf16>, tensor<3x4x8xf16>) -> tensor<3x4x4xf16>
  %c = graph.constant dense<[[0.0, -65504.0, -65504.0, -65504.0], [0.0, 0.0, -65504.0, -65504.0], [0.0, 0.0, 0.0, -65504.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf16>
  %x = graph.add %s, %c : (tensor<3x4x4xf16>, tensor<4x4xf16>) -> tensor<3x4x4xf16>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf16> -> tensor<3x4x1xf16>
  %d = graph.sub %x, %m : (tensor<3x4x4xf16>, tensor<3x4x1xf16>) -> tensor<3x4x4xf16>
  %e = graph.exp %d : tensor<3x4x4xf16> -> tensor<3x4x4xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf16> -> tensor<3x4x1xf16>
  %w = graph.div %e, %t : (tensor<3x4x4xf16>, tensor<3x4x1xf16>) -> tensor<3x4x4xf16>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf16>, tensor<3x4x8xf16>) -> tensor<3x4x8xf16>
  func.return %y : tensor<3x4x8xf16>
}

func.func @value(%q: tensor<3x4x8xf32>, %k: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x4xf32>
  %c = graph.constant dense<[[true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1>
  %h = graph.constant dense<0.0> : tensor<f32>
  %x = graph.where %c, %s, %h : (tensor<4x4xi1>, tensor<3x4x4xf32>, tensor<f32>) -> tensor<3x4x4xf32>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %d = graph.sub %x, %m : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %e = graph.exp %d : tensor<3x4x4xf32> -> tensor<3x4x4xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<3x4x4xf32> -> tensor<3x4x1xf32>
  %w = graph.div %e, %t : (tensor<3x4x4xf32>, tensor<3x4x1xf32>) -> tensor<3x4x4xf32>
  %y = graph.matmul %w, %k : (tensor<3x4x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  func.return %y : tensor<3x4x8xf32>
}
