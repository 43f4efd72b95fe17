// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu | filecheck %s

// What is no attention, or is read by others, is not taken for it; nor is it where no instruction multiplies it.

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

// CHECK-LABEL: func.func @over_the_queries
// CHECK-NOT:   strategy = "attention"
func.func @over_the_queries(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [1] keep_dims : tensor<24x256x256xf16> -> tensor<24x1x256xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x1x256xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [1] keep_dims : tensor<24x256x256xf16> -> tensor<24x1x256xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x1x256xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @another_largest
// CHECK-NOT:   strategy = "attention"
func.func @another_largest(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %o = graph.add %s, %s : (tensor<24x256x256xf16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %o axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @another_total
// CHECK-NOT:   strategy = "attention"
func.func @another_total(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %d axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @not_a_number_becomes_one
// CHECK-NOT:   strategy = "attention"
func.func @not_a_number_becomes_one(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %n = graph.is_nan %w : tensor<24x256x256xf16> -> tensor<24x256x256xi1>
  %1 = graph.constant dense<1.0> : tensor<f16>
  %p = graph.where %n, %1, %w : (tensor<24x256x256xi1>, tensor<f16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %p, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @test_of_another_value
// CHECK-NOT:   strategy = "attention"
func.func @test_of_another_value(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %n = graph.is_nan %s : tensor<24x256x256xf16> -> tensor<24x256x256xi1>
  %1 = graph.constant dense<0.0> : tensor<f16>
  %p = graph.where %n, %1, %w : (tensor<24x256x256xi1>, tensor<f16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %p, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @weights_on_the_right
// CHECK-NOT:   strategy = "attention"
func.func @weights_on_the_right(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x64x256xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %v, %w transpose_lhs : (tensor<24x256x64xf16>, tensor<24x256x256xf16>) -> tensor<24x64x256xf16>
  func.return %y : tensor<24x64x256xf16>
}

// CHECK-LABEL: func.func @weights_turned
// CHECK-NOT:   strategy = "attention"
func.func @weights_turned(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v transpose_lhs : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @scores_turned
// CHECK-NOT:   strategy = "attention"
func.func @scores_turned(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %x = graph.transpose %s {permutation = array<i64: 0, 2, 1>} : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %x, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @scores_of_another_row
// CHECK-NOT:   strategy = "attention"
func.func @scores_of_another_row(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %o = graph.transpose %s {permutation = array<i64: 0, 2, 1>} : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %x = graph.add %s, %o : (tensor<24x256x256xf16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %x, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @two_products_of_scores
// CHECK-NOT:   strategy = "attention"
func.func @two_products_of_scores(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %o = graph.matmul %k, %q transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %x = graph.add %s, %o : (tensor<24x256x256xf16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %x, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// CHECK-LABEL: func.func @no_product_of_scores
// CHECK-NOT:   strategy = "attention"
func.func @no_product_of_scores(%s: tensor<24x256x256xf16>, %v: tensor<24x256x64xf16>) -> (tensor<24x256x64xf16>) {
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
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
