// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// Only reductions over all columns of a product join it.

// CHECK-LABEL: @of_columns
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @of_columns(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.softmax %0 axis 0 : tensor<64x64xf16> -> tensor<64x64xf16>
  func.return %1 : tensor<64x64xf16>
}

// -----

// CHECK-LABEL: @of_half_a_row
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @of_half_a_row(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<128x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.reshape %0 {sizes = array<i64: 128, 32>} : tensor<64x64xf16> -> tensor<128x32xf16>
  %2 = graph.softmax %1 axis 1 : tensor<128x32xf16> -> tensor<128x32xf16>
  func.return %2 : tensor<128x32xf16>
}

// -----

// CHECK-LABEL: @of_two_kinds
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @of_two_kinds(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x1xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.reduce_sum %0 axes [1] : tensor<64x64xf16> -> tensor<64xf16>
  %2 = graph.sub %0, %1 : (tensor<64x64xf16>, tensor<64xf16>) -> tensor<64x64xf16>
  %3 = graph.reduce_sum %2 axes [1] keep_dims : tensor<64x64xf16> -> tensor<64x1xf16>
  func.return %3 : tensor<64x1xf16>
}

// -----

// Totals of one kernel are of one shape.

// CHECK-LABEL: @of_two_shapes
// CHECK:         strategy = "contract"
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @of_two_shapes(%x: tensor<2x32x64xf16>, %w: tensor<64x48xf16>) -> (tensor<2x32x48xf16>, tensor<64x48xf16>) {
  %0 = graph.matmul %x, %w : (tensor<2x32x64xf16>, tensor<64x48xf16>) -> tensor<2x32x48xf16>
  %1 = graph.softmax %0 axis 2 : tensor<2x32x48xf16> -> tensor<2x32x48xf16>
  %2 = graph.reshape %0 {sizes = array<i64: 64, 48>} : tensor<2x32x48xf16> -> tensor<64x48xf16>
  %3 = graph.softmax %2 axis 1 : tensor<64x48xf16> -> tensor<64x48xf16>
  func.return %1, %3 : tensor<2x32x48xf16>, tensor<64x48xf16>
}
