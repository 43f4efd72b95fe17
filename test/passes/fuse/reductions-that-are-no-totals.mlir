// RUN: dlc-opt %s --split-input-file --fuse=arch=sm_90a | filecheck %s

// A total is one value of the type of the sums.

// CHECK-LABEL: @places_of_the_largest
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @places_of_the_largest(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x1xi64> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.arg_max %0 axes [1] keep_dims : tensor<64x64xf16> -> tensor<64x1xi64>
  func.return %1 : tensor<64x1xi64>
}

// -----

// CHECK-LABEL: @of_another_type
// CHECK:         "g1: in stages (a reduction of other than whole rows after a contraction), one kernel would take at least {{[0-9.e+-]+}} us more"
func.func @of_another_type(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xi32> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = graph.cast %0 {to = i32} : tensor<64x64xf16> -> tensor<64x64xi32>
  %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<64x64xi32> -> tensor<64x1xi32>
  %3 = graph.sub %1, %2 : (tensor<64x64xi32>, tensor<64x1xi32>) -> tensor<64x64xi32>
  func.return %3 : tensor<64x64xi32>
}
