// RUN: dlc-opt %s --graph-share-factors | filecheck %s
// CHECK-NOT: shared

// The lhs is repeated: its rows are not.
// CHECK-LABEL: @lhs
func.func @lhs(%q4: tensor<3x1x1x64xf32>, %k: tensor<12x64x512xf32>) -> tensor<12x1x512xf32> {
  %0 = graph.broadcast %q4 {sizes = array<i64: 3, 4, 1, 64>} : tensor<3x1x1x64xf32> -> tensor<3x4x1x64xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 1, 64>} : tensor<3x4x1x64xf32> -> tensor<12x1x64xf32>
  %2 = graph.matmul %1, %k : (tensor<12x1x64xf32>, tensor<12x64x512xf32>) -> tensor<12x1x512xf32>
  func.return %2 : tensor<12x1x512xf32>
}

// The copies of all heads follow each other: neighbours have other keys.
// CHECK-LABEL: @all_again
func.func @all_again(%q: tensor<12x1x64xf32>, %k4: tensor<1x3x64x512xf32>) -> tensor<12x1x512xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 4, 3, 64, 512>} : tensor<1x3x64x512xf32> -> tensor<4x3x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 64, 512>} : tensor<4x3x64x512xf32> -> tensor<12x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x1x64xf32>, tensor<12x64x512xf32>) -> tensor<12x1x512xf32>
  func.return %2 : tensor<12x1x512xf32>
}

// Another axis is repeated, too.
// CHECK-LABEL: @batch_too
func.func @batch_too(%q: tensor<2x12x1x64xf32>, %k5: tensor<1x3x1x64x512xf32>) -> tensor<2x12x1x512xf32> {
  %0 = graph.broadcast %k5 {sizes = array<i64: 2, 3, 4, 64, 512>} : tensor<1x3x1x64x512xf32> -> tensor<2x3x4x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 12, 64, 512>} : tensor<2x3x4x64x512xf32> -> tensor<2x12x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<2x12x1x64xf32>, tensor<2x12x64x512xf32>) -> tensor<2x12x1x512xf32>
  func.return %2 : tensor<2x12x1x512xf32>
}

// The reshape joins other axes than the copies.
// CHECK-LABEL: @joins_others
func.func @joins_others(%q: tensor<3x1x64xf32>, %k4: tensor<3x1x16x512xf32>) -> tensor<3x1x512xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 16, 512>} : tensor<3x1x16x512xf32> -> tensor<3x4x16x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 3, 64, 512>} : tensor<3x4x16x512xf32> -> tensor<3x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<3x1x64xf32>, tensor<3x64x512xf32>) -> tensor<3x1x512xf32>
  func.return %2 : tensor<3x1x512xf32>
}
