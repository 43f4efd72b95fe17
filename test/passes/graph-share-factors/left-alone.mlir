// RUN: dlc-opt %s --graph-share-factors | filecheck %s
// CHECK-NOT: shared

// The lhs is repeated: its rows are not.
// CHECK-LABEL: @lhs
func.func @lhs(%q4: tensor<3x1x5x8xf32>, %k: tensor<12x8x7xf32>) -> tensor<12x5x7xf32> {
  %0 = graph.broadcast %q4 {sizes = array<i64: 3, 4, 5, 8>} : tensor<3x1x5x8xf32> -> tensor<3x4x5x8xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 5, 8>} : tensor<3x4x5x8xf32> -> tensor<12x5x8xf32>
  %2 = graph.matmul %1, %k : (tensor<12x5x8xf32>, tensor<12x8x7xf32>) -> tensor<12x5x7xf32>
  func.return %2 : tensor<12x5x7xf32>
}

// The copies of all heads follow each other: neighbours have other keys.
// CHECK-LABEL: @all_again
func.func @all_again(%q: tensor<12x5x8xf32>, %k4: tensor<1x3x8x7xf32>) -> tensor<12x5x7xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 4, 3, 8, 7>} : tensor<1x3x8x7xf32> -> tensor<4x3x8x7xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 8, 7>} : tensor<4x3x8x7xf32> -> tensor<12x8x7xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x5x8xf32>, tensor<12x8x7xf32>) -> tensor<12x5x7xf32>
  func.return %2 : tensor<12x5x7xf32>
}

// Another axis is repeated, too.
// CHECK-LABEL: @batch_too
func.func @batch_too(%q: tensor<2x12x5x8xf32>, %k5: tensor<1x3x1x8x7xf32>) -> tensor<2x12x5x7xf32> {
  %0 = graph.broadcast %k5 {sizes = array<i64: 2, 3, 4, 8, 7>} : tensor<1x3x1x8x7xf32> -> tensor<2x3x4x8x7xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 12, 8, 7>} : tensor<2x3x4x8x7xf32> -> tensor<2x12x8x7xf32>
  %2 = graph.matmul %q, %1 : (tensor<2x12x5x8xf32>, tensor<2x12x8x7xf32>) -> tensor<2x12x5x7xf32>
  func.return %2 : tensor<2x12x5x7xf32>
}

// The reshape joins other axes than the copies.
// CHECK-LABEL: @joins_others
func.func @joins_others(%q: tensor<3x5x8xf32>, %k4: tensor<3x1x2x7xf32>) -> tensor<3x5x7xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 2, 7>} : tensor<3x1x2x7xf32> -> tensor<3x4x2x7xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 3, 8, 7>} : tensor<3x4x2x7xf32> -> tensor<3x8x7xf32>
  %2 = graph.matmul %q, %1 : (tensor<3x5x8xf32>, tensor<3x8x7xf32>) -> tensor<3x5x7xf32>
  func.return %2 : tensor<3x5x7xf32>
}

// All products have the same lhs.
// CHECK-LABEL: @one_lhs
func.func @one_lhs(%q: tensor<1x5x8xf32>, %k4: tensor<3x1x8x7xf32>) -> tensor<12x5x7xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 8, 7>} : tensor<3x1x8x7xf32> -> tensor<3x4x8x7xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 8, 7>} : tensor<3x4x8x7xf32> -> tensor<12x8x7xf32>
  %2 = graph.matmul %q, %1 : (tensor<1x5x8xf32>, tensor<12x8x7xf32>) -> tensor<12x5x7xf32>
  func.return %2 : tensor<12x5x7xf32>
}

// Queries that fill blocks alone.
// CHECK-LABEL: @many_queries
// CHECK-NOT:     shared
func.func @many_queries(%q: tensor<12x64x8xf32>, %k4: tensor<3x1x8x255xf32>) -> tensor<12x64x255xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 8, 255>} : tensor<3x1x8x255xf32> -> tensor<3x4x8x255xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 8, 255>} : tensor<3x4x8x255xf32> -> tensor<12x8x255xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x64x8xf32>, tensor<12x8x255xf32>) -> tensor<12x64x255xf32>
  func.return %2 : tensor<12x64x255xf32>
}
