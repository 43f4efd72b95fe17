// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// Weights that are read by others must be in memory; and where no instruction multiplies the factors, the ops stay apart.

// CHECK-LABEL: func.func @weights_are_read
// CHECK-NOT:   strategy = "attention"
func.func @weights_are_read(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>, tensor<24x256x256xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y, %w : tensor<24x256x64xf16>, tensor<24x256x256xf16>
}

// CHECK-LABEL: func.func @single_precision
// CHECK-NOT:   strategy = "attention"
func.func @single_precision(%q: tensor<24x256x64xf32>, %k: tensor<24x256x64xf32>, %v: tensor<24x256x64xf32>) -> (tensor<24x256x64xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf32>, tensor<24x256x64xf32>) -> tensor<24x256x256xf32>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf32> -> tensor<24x256x1xf32>
  %d = graph.sub %s, %m : (tensor<24x256x256xf32>, tensor<24x256x1xf32>) -> tensor<24x256x256xf32>
  %e = graph.exp %d : tensor<24x256x256xf32> -> tensor<24x256x256xf32>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf32> -> tensor<24x256x1xf32>
  %w = graph.div %e, %t : (tensor<24x256x256xf32>, tensor<24x256x1xf32>) -> tensor<24x256x256xf32>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf32>, tensor<24x256x64xf32>) -> tensor<24x256x64xf32>
  func.return %y : tensor<24x256x64xf32>
}
