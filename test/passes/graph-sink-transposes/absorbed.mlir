// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// CHECK-LABEL: @into_a_matrix_product
func.func @into_a_matrix_product(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>) -> tensor<2x5x7xf32> {
  // CHECK-NEXT: graph.matmul %q, %k transpose_rhs
  %0 = graph.transpose %k {permutation = array<i64: 0, 2, 1>} : tensor<2x7x4xf32> -> tensor<2x4x7xf32>
  %1 = graph.matmul %q, %0 : (tensor<2x5x4xf32>, tensor<2x4x7xf32>) -> tensor<2x5x7xf32>
  func.return %1 : tensor<2x5x7xf32>
}

// CHECK-LABEL: @pair_becomes_one
func.func @pair_becomes_one(%x: tensor<2x5x4xf32>) -> tensor<5x4x2xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.transpose %x {permutation = array<i64: 1, 2, 0>}
  // CHECK-NEXT: func.return %[[Y]]
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : tensor<2x5x4xf32> -> tensor<2x4x5xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 2, 1, 0>} : tensor<2x4x5xf32> -> tensor<5x4x2xf32>
  func.return %1 : tensor<5x4x2xf32>
}

// CHECK-LABEL: @unit_axes_only
func.func @unit_axes_only(%x: tensor<1x5x1x4xf32>) -> tensor<1x1x5x4xf32> {
  // CHECK-NEXT: graph.reshape %x
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x5x1x4xf32> -> tensor<1x1x5x4xf32>
  func.return %0 : tensor<1x1x5x4xf32>
}

// CHECK-LABEL: @not_other_axes
func.func @not_other_axes(%q: tensor<2x5x4xf32>, %k: tensor<4x2x7xf32>) -> tensor<2x5x7xf32> {
  // CHECK-NEXT: graph.transpose %k
  // CHECK-NEXT: graph.matmul
  %0 = graph.transpose %k {permutation = array<i64: 1, 0, 2>} : tensor<4x2x7xf32> -> tensor<2x4x7xf32>
  %1 = graph.matmul %q, %0 : (tensor<2x5x4xf32>, tensor<2x4x7xf32>) -> tensor<2x5x7xf32>
  func.return %1 : tensor<2x5x7xf32>
}

// Only the exchange of the last two axes goes in, where the factor is then read along its innermost
// axis; the heads stay before the tokens.

// CHECK-LABEL: @exchange_of_a_larger_transpose
func.func @exchange_of_a_larger_transpose(%q: tensor<2x3x5x4xf32>, %k: tensor<7x2x3x4xf32>) -> tensor<2x3x5x7xf32> {
  // CHECK-NEXT: %[[K:.*]] = graph.transpose %k {permutation = array<i64: 1, 2, 0, 3>}
  // CHECK-NEXT: graph.matmul %q, %[[K]] transpose_rhs
  %0 = graph.transpose %k {permutation = array<i64: 1, 2, 3, 0>} : tensor<7x2x3x4xf32> -> tensor<2x3x4x7xf32>
  %1 = graph.matmul %q, %0 : (tensor<2x3x5x4xf32>, tensor<2x3x4x7xf32>) -> tensor<2x3x5x7xf32>
  func.return %1 : tensor<2x3x5x7xf32>
}

// CHECK-LABEL: @innermost_stays_innermost
func.func @innermost_stays_innermost(%q: tensor<2x5x4xf32>, %k: tensor<7x4x2xf32>) -> tensor<2x5x7xf32> {
  // CHECK-NEXT: %[[K:.*]] = graph.transpose %k {permutation = array<i64: 2, 1, 0>}
  // CHECK-NEXT: graph.matmul %q, %[[K]] :
  %0 = graph.transpose %k {permutation = array<i64: 2, 1, 0>} : tensor<7x4x2xf32> -> tensor<2x4x7xf32>
  %1 = graph.matmul %q, %0 : (tensor<2x5x4xf32>, tensor<2x4x7xf32>) -> tensor<2x5x7xf32>
  func.return %1 : tensor<2x5x7xf32>
}
