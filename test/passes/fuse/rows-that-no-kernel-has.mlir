// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// CHECK-LABEL: @before
// CHECK:         "g1: in stages (a row reduction before a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @before(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = graph.softmax %x axis 1 : tensor<64x64xf16> -> tensor<64x64xf16>
  %1 = graph.matmul %0, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  func.return %1 : tensor<64x64xf16>
}

// -----

// Eight blocks of 256 columns have no rows of 4,096.

// CHECK-LABEL: @wide
// CHECK:         "g1: in stages (no schedule for a contraction of 64 x 4096 x 64 fits on the chip), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @wide(%x: tensor<64x64xf16>, %w: tensor<64x4096xf16>) -> tensor<64x4096xf16> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x4096xf16>) -> tensor<64x4096xf16>
  %1 = graph.softmax %0 axis 1 : tensor<64x4096xf16> -> tensor<64x4096xf16>
  func.return %1 : tensor<64x4096xf16>
}
