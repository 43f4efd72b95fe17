// RUN: dlc-opt %s --tile=arch=sm_90a --split-input-file --verify-diagnostics

// Rows of a block come as one run where they are whole pieces of memory.

func.func @main(%x: tensor<64x197xf16>) -> tensor<64x1xf16> {
  // expected-error@below {{packed = true: 4 rows of 197 elements are no whole pieces of 16 bytes, one after the other in memory; take more rows, or packed = false}}
  %0 = fused_group.group @g0(%x) : (tensor<64x197xf16>) -> tensor<64x1xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 4, packed = true>} {
  ^bb0(%a: tensor<64x197xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<64x197xf16> -> tensor<64x1xf16>
    fused_group.yield %1 : tensor<64x1xf16>
  }
  func.return %0 : tensor<64x1xf16>
}

// -----

func.func @main(%x: tensor<64x197x8xf16>) -> tensor<64x1x8xf16> {
  // expected-error@below {{packed = true: 16 rows of 197 elements are no whole pieces of 16 bytes, one after the other in memory; take more rows, or packed = false}}
  %0 = fused_group.group @g0(%x) : (tensor<64x197x8xf16>) -> tensor<64x1x8xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, packed = true>} {
  ^bb0(%a: tensor<64x197x8xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<64x197x8xf16> -> tensor<64x1x8xf16>
    fused_group.yield %1 : tensor<64x1x8xf16>
  }
  func.return %0 : tensor<64x1x8xf16>
}
