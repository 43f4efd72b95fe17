// RUN: dlc-opt %s --graph-share-factors | filecheck %s

// Many queries beside many more keys, as where a text is continued.
// CHECK-LABEL: @many_keys
// CHECK:         graph.matmul {{.*}} shared 4
func.func @many_keys(%q: tensor<12x64x8xf32>, %k4: tensor<3x1x8x256xf32>) -> tensor<12x64x256xf32> {
  %0 = graph.broadcast %k4 {sizes = array<i64: 3, 4, 8, 256>} : tensor<3x1x8x256xf32> -> tensor<3x4x8x256xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 12, 8, 256>} : tensor<3x4x8x256xf32> -> tensor<12x8x256xf32>
  %2 = graph.matmul %q, %1 : (tensor<12x64x8xf32>, tensor<12x8x256xf32>) -> tensor<12x64x256xf32>
  func.return %2 : tensor<12x64x256xf32>
}
