// RUN: dlc-opt %s --graph-share-factors | filecheck %s

// Keys that are repeated for the heads of a group are read by the product that has these heads.
// CHECK-LABEL: @keys
// CHECK:         %[[K:.*]] = graph.reshape %k5 {sizes = array<i64: 2, 3, 512, 64>}
// CHECK-NEXT:    %[[S:.*]] = graph.matmul %q, %[[K]] transpose_rhs shared 4 : (tensor<2x12x1x64xf32>, tensor<2x3x512x64xf32>) -> tensor<2x12x1x512xf32>
// CHECK-NEXT:    func.return %[[S]]
func.func @keys(%q: tensor<2x12x1x64xf32>, %k5: tensor<2x3x1x512x64xf32>) -> tensor<2x12x1x512xf32> {
  %0 = graph.broadcast %k5 {sizes = array<i64: 2, 3, 4, 512, 64>} : tensor<2x3x1x512x64xf32> -> tensor<2x3x4x512x64xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 12, 512, 64>} : tensor<2x3x4x512x64xf32> -> tensor<2x12x512x64xf32>
  %2 = graph.matmul %q, %1 transpose_rhs : (tensor<2x12x1x64xf32>, tensor<2x12x512x64xf32>) -> tensor<2x12x1x512xf32>
  func.return %2 : tensor<2x12x1x512xf32>
}

// A single head of keys is for all heads, as products broadcast.
// CHECK-LABEL: @one_head
// CHECK:         graph.matmul %w, %{{[0-9]+}} : (tensor<2x4x1x512xf32>, tensor<2x1x512x64xf32>) -> tensor<2x4x1x64xf32>
func.func @one_head(%w: tensor<2x4x1x512xf32>, %v5: tensor<2x1x1x512x64xf32>) -> tensor<2x4x1x64xf32> {
  %0 = graph.broadcast %v5 {sizes = array<i64: 2, 1, 4, 512, 64>} : tensor<2x1x1x512x64xf32> -> tensor<2x1x4x512x64xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 4, 512, 64>} : tensor<2x1x4x512x64xf32> -> tensor<2x4x512x64xf32>
  %2 = graph.matmul %w, %1 : (tensor<2x4x1x512xf32>, tensor<2x4x512x64xf32>) -> tensor<2x4x1x64xf32>
  func.return %2 : tensor<2x4x1x64xf32>
}

// What others read stays for them.
// CHECK-LABEL: @read_by_others
// CHECK:         %[[R:.*]] = graph.reshape %{{.*}} {sizes = array<i64: 12, 512, 64>}
// CHECK:         graph.matmul %q, %{{.*}} shared 4
// CHECK:         func.return %{{.*}}, %[[R]]
func.func @read_by_others(%q: tensor<12x1x512xf32>, %k4: tensor<3x1x512x64xf32>) -> (tensor<12x1x64xf32>, tensor<12x512x64xf32>) {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 512, 64>} : tensor<3x1x512x64xf32> -> tensor<3x4x512x64xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 512, 64>} : tensor<3x4x512x64xf32> -> tensor<12x512x64xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x1x512xf32>, tensor<12x512x64xf32>) -> tensor<12x1x64xf32>
  func.return %2, %1 : tensor<12x1x64xf32>, tensor<12x512x64xf32>
}
