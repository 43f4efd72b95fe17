// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s
// RUN: dlc-opt %s --graph-split-zero-points --graph-fold-constants | filecheck %s --check-prefix=FOLDED

// CHECK-LABEL: @no_zero_points
func.func @no_zero_points(%a: tensor<5x64xui8>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK-NEXT: %y = graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>) -> tensor<5x7xi32>
  // CHECK-NEXT: func.return %y
  %z = graph.splat 0 : i8 -> tensor<7xi8>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %2 = graph.cast %z {to = i32} : tensor<7xi8> -> tensor<7xi32>
  %3 = graph.sub %1, %2 : (tensor<64x7xi32>, tensor<7xi32>) -> tensor<64x7xi32>
  %y = graph.matmul %0, %3 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// The zero points of rows and columns meet the result along its rows and columns.
// CHECK-LABEL: @of_rows_and_columns
func.func @of_rows_and_columns(%a: tensor<2x5x64xui8>, %p: tensor<5x1xi32>, %b: tensor<7x64xi8>, %q: tensor<7x1xi32>) -> tensor<2x5x7xi32> {
  // CHECK:      %[[P:.*]] = graph.reshape %p {sizes = array<i64: 1, 5, 1>}
  // CHECK:      %[[Q:.*]] = graph.reshape %q {sizes = array<i64: 1, 1, 7>}
  // CHECK:      %[[ROW:.*]] = graph.splat 1 : i8 -> tensor<1x1x64xi8>
  // CHECK:      %[[COLUMN:.*]] = graph.splat 1 : i8 -> tensor<1x64xi8>
  // CHECK:      %[[Y:.*]] = graph.matmul %a, %b transpose_rhs : (tensor<2x5x64xui8>, tensor<7x64xi8>) -> tensor<2x5x7xi32>
  // CHECK:      %[[COLUMNS:.*]] = graph.matmul %[[ROW]], %b transpose_rhs {{.*}} -> tensor<1x1x7xi32>
  // CHECK:      %[[LEFT:.*]] = graph.mul %[[P]], %[[COLUMNS]]
  // CHECK:      graph.sub %[[Y]], %[[LEFT]]
  // CHECK:      graph.matmul %a, %[[COLUMN]] transpose_rhs {{.*}} -> tensor<2x5x1xi32>
  // CHECK:      graph.matmul %[[ROW]], %[[COLUMN]] transpose_rhs {{.*}} -> tensor<1x1x1xi32>
  // CHECK:      graph.mul %[[Q]]
  // CHECK-NOT:  graph.cast
  %0 = graph.cast %a {to = i32} : tensor<2x5x64xui8> -> tensor<2x5x64xi32>
  %1 = graph.sub %0, %p : (tensor<2x5x64xi32>, tensor<5x1xi32>) -> tensor<2x5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<7x64xi8> -> tensor<7x64xi32>
  %3 = graph.sub %2, %q : (tensor<7x64xi32>, tensor<7x1xi32>) -> tensor<7x64xi32>
  %y = graph.matmul %1, %3 transpose_rhs : (tensor<2x5x64xi32>, tensor<7x64xi32>) -> tensor<2x5x7xi32>
  func.return %y : tensor<2x5x7xi32>
}

// What the columns of a constant add up to is a constant.
// FOLDED-LABEL: @of_a_constant
func.func @of_a_constant(%a: tensor<5x64xui8>, %p: tensor<i32>) -> tensor<5x8xi32> {
  // FOLDED:      %[[B:.*]] = graph.splat 3 : i8 -> tensor<64x8xi8>
  // FOLDED:      graph.matmul %a, %[[B]]
  // FOLDED:      %[[SUMS:.*]] = graph.weight {{.*}} : tensor<1x8xi32>
  // FOLDED-NOT:  graph.matmul
  // FOLDED:      graph.mul {{.*}}, %[[SUMS]]
  %b = graph.splat 3 : i8 -> tensor<64x8xi8>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<i32>) -> tensor<5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<64x8xi8> -> tensor<64x8xi32>
  %y = graph.matmul %1, %2 : (tensor<5x64xi32>, tensor<64x8xi32>) -> tensor<5x8xi32>
  func.return %y : tensor<5x8xi32>
}
