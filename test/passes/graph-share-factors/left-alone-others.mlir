// RUN: dlc-opt %s --graph-share-factors | filecheck %s
// CHECK-NOT: shared

// All products have the same lhs.
// CHECK-LABEL: @one_lhs
func.func @one_lhs(%q: tensor<1x1x64xf32>, %k4: tensor<3x1x64x512xf32>) -> tensor<12x1x512xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 64, 512>} : tensor<3x1x64x512xf32> -> tensor<3x4x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 64, 512>} : tensor<3x4x64x512xf32> -> tensor<12x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<1x1x64xf32>, tensor<12x64x512xf32>) -> tensor<12x1x512xf32>
  func.return %2 : tensor<12x1x512xf32>
}

// Copies that are no axis of their own beside that of the batch.
// CHECK-LABEL: @no_batch
func.func @no_batch(%q: tensor<2x1x128xf32>, %k: tensor<1x64x512xf32>) -> tensor<2x1x512xf32> {
  %0 = graph.broadcast %k {sizes = array<i64: 4, 64, 512>} : tensor<1x64x512xf32> -> tensor<4x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 128, 512>} : tensor<4x64x512xf32> -> tensor<2x128x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<2x1x128xf32>, tensor<2x128x512xf32>) -> tensor<2x1x512xf32>
  func.return %2 : tensor<2x1x512xf32>
}

// One copy of each.
// CHECK-LABEL: @once
func.func @once(%q: tensor<12x1x64xf32>, %k4: tensor<12x1x64x512xf32>) -> tensor<12x1x512xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 12, 1, 64, 512>} : tensor<12x1x64x512xf32> -> tensor<12x1x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 64, 512>} : tensor<12x1x64x512xf32> -> tensor<12x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x1x64xf32>, tensor<12x64x512xf32>) -> tensor<12x1x512xf32>
  func.return %2 : tensor<12x1x512xf32>
}

// Others stand beside the keys, no copies.
// CHECK-LABEL: @others
func.func @others(%q: tensor<6x1x64xf32>, %k4: tensor<3x1x64x512xf32>, %o4: tensor<3x1x64x512xf32>) -> tensor<6x1x512xf32> {
  %0 = graph.concat %k4, %o4 {axis = 1 : i64} : (tensor<3x1x64x512xf32>, tensor<3x1x64x512xf32>) -> tensor<3x2x64x512xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 6, 64, 512>} : tensor<3x2x64x512xf32> -> tensor<6x64x512xf32>
  %2 = graph.matmul %q, %1 : (tensor<6x1x64xf32>, tensor<6x64x512xf32>) -> tensor<6x1x512xf32>
  func.return %2 : tensor<6x1x512xf32>
}
