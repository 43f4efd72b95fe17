// RUN: dlc-opt %s -p "graph-split-batches,graph-canonicalize,fuse{arch=cpu-avx512}" | filecheck %s

// The bias is for each sequence and head in one axis, as in BLOOM, the mask for each sequence.
// CHECK-LABEL: @alibi
// CHECK:         fused_group.group
// CHECK-SAME:      strategy = "attention"
// CHECK-NOT:     fused_group.group
func.func @alibi(%q: tensor<16x64x64xf32>, %k: tensor<16x64x64xf32>, %v: tensor<16x64x64xf32>, %bias: tensor<16x1x64xf32>, %mask: tensor<2x1x64x64xf32>) -> tensor<2x8x64x64xf32> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> tensor<16x64x64xf32>
  %1 = graph.add %0, %bias : (tensor<16x64x64xf32>, tensor<16x1x64xf32>) -> tensor<16x64x64xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 8, 64, 64>} : tensor<16x64x64xf32> -> tensor<2x8x64x64xf32>
  %3 = graph.add %2, %mask : (tensor<2x8x64x64xf32>, tensor<2x1x64x64xf32>) -> tensor<2x8x64x64xf32>
  %4 = graph.softmax %3 axis 3 : tensor<2x8x64x64xf32> -> tensor<2x8x64x64xf32>
  %5 = graph.reshape %4 {sizes = array<i64: 16, 64, 64>} : tensor<2x8x64x64xf32> -> tensor<16x64x64xf32>
  %6 = graph.matmul %5, %v : (tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> tensor<16x64x64xf32>
  %7 = graph.reshape %6 {sizes = array<i64: 2, 8, 64, 64>} : tensor<16x64x64xf32> -> tensor<2x8x64x64xf32>
  func.return %7 : tensor<2x8x64x64xf32>
}
