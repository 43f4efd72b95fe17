// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// A total is read by its row only.

// CHECK-LABEL: @of_other_rows
// CHECK:         strategy = "contract"
// CHECK:         fused_group.group
func.func @of_other_rows(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.reduce_sum %0 axes [1] keep_dims : tensor<64x64xf16> -> tensor<64x1xf16>
  %2 = graph.reshape %1 {sizes = array<i64: 1, 64>} : tensor<64x1xf16> -> tensor<1x64xf16>
  %3 = graph.sub %0, %2 : (tensor<64x64xf16>, tensor<1x64xf16>) -> tensor<64x64xf16>
  func.return %3 : tensor<64x64xf16>
}

// -----

// CHECK-LABEL: @totals_are_read
// CHECK:         "g1: in stages (totals of rows of a contraction are outputs, or others read them too), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @totals_are_read(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x1xf16>) {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.reduce_max %0 axes [1] keep_dims : tensor<64x64xf16> -> tensor<64x1xf16>
  %2 = graph.sub %0, %1 : (tensor<64x64xf16>, tensor<64x1xf16>) -> tensor<64x64xf16>
  func.return %2, %1 : tensor<64x64xf16>, tensor<64x1xf16>
}
