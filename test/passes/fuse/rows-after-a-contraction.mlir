// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --split-input-file --fuse=arch=cpu-avx2 | filecheck %s --check-prefix=CPU

// What needs whole rows of a product shares its kernel, where a block or a cluster has all columns.

// CHECK-LABEL: @softmax
// CHECK:         strategy = "contract"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
// CPU-LABEL:   @softmax
// CPU:           "g1: a row reduction does not join a contraction on a CPU"
func.func @softmax(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.softmax %0 axis 1 : tensor<64x64xf16> -> tensor<64x64xf16>
  func.return %1 : tensor<64x64xf16>
}

// -----

// So does what is computed behind it, and the sums may be stored, too.

// CHECK-LABEL: @norm
// CHECK:         strategy = "contract"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @norm(%x: tensor<2x32x64xf16>, %w: tensor<64x48xf16>, %g: tensor<48xf16>) -> (tensor<2x32x48xf16>, tensor<64x48xf16>) {
  %0 = graph.matmul %x, %w : (tensor<2x32x64xf16>, tensor<64x48xf16>) -> tensor<2x32x48xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 64, 48>} : tensor<2x32x48xf16> -> tensor<64x48xf16>
  %2 = graph.reduce_mean %1 axes [1] keep_dims : tensor<64x48xf16> -> tensor<64x1xf16>
  %3 = graph.sub %1, %2 : (tensor<64x48xf16>, tensor<64x1xf16>) -> tensor<64x48xf16>
  %4 = graph.mul %3, %3 : (tensor<64x48xf16>, tensor<64x48xf16>) -> tensor<64x48xf16>
  %5 = graph.reduce_mean %4 axes [1] keep_dims : tensor<64x48xf16> -> tensor<64x1xf16>
  %6 = graph.sqrt %5 : tensor<64x1xf16> -> tensor<64x1xf16>
  %7 = graph.div %3, %6 : (tensor<64x48xf16>, tensor<64x1xf16>) -> tensor<64x48xf16>
  %8 = graph.mul %7, %g : (tensor<64x48xf16>, tensor<48xf16>) -> tensor<64x48xf16>
  func.return %0, %8 : tensor<2x32x48xf16>, tensor<64x48xf16>
}
