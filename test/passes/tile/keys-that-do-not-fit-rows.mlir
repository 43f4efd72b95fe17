// RUN: dlc-opt %s --tile=arch=sm_90a --split-input-file --verify-diagnostics

// Whether lanes may go across rows, and how many they take at a time, depends on how rows lie.

func.func @main(%x: tensor<8x96x4096xf16>) -> tensor<8x1x4096xf16> {
  // expected-error@below {{vector = 16 rows do not lie side by side for one access; use 8 or 4 or 2 or 1}}
  %0 = fused_group.group @g0(%x) : (tensor<8x96x4096xf16>) -> tensor<8x1x4096xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 128, vector = 16, lanes = "across">} {
  ^bb0(%a: tensor<8x96x4096xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<8x96x4096xf16> -> tensor<8x1x4096xf16>
    fused_group.yield %1 : tensor<8x1x4096xf16>
  }
  func.return %0 : tensor<8x1x4096xf16>
}

// -----

func.func @main(%x: tensor<64x4096xf16>) -> tensor<64x1xf16> {
  // expected-error@below {{lanes = "across" is for rows whose elements lie apart; these are stored in order, so use lanes = "along"}}
  %0 = fused_group.group @g0(%x) : (tensor<64x4096xf16>) -> tensor<64x1xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 4, lanes = "across">} {
  ^bb0(%a: tensor<64x4096xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<64x4096xf16> -> tensor<64x1xf16>
    fused_group.yield %1 : tensor<64x1xf16>
  }
  func.return %0 : tensor<64x1xf16>
}

// -----

func.func @main(%x: tensor<64x4096xf16>) -> tensor<64x1xf16> {
  // expected-error@below {{held = true is for rows that are stored in order and gone through more than once; these are not, so use held = false}}
  %0 = fused_group.group @g0(%x) : (tensor<64x4096xf16>) -> tensor<64x1xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, held = true>} {
  ^bb0(%a: tensor<64x4096xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<64x4096xf16> -> tensor<64x1xf16>
    fused_group.yield %1 : tensor<64x1xf16>
  }
  func.return %0 : tensor<64x1xf16>
}

// -----

func.func @main(%x: tensor<64x4096xf16>) -> tensor<64x1xf16> {
  // expected-error@below {{schedule key split should be an integer from 1 to 1048576, is 1048577}}
  %0 = fused_group.group @g0(%x) : (tensor<64x4096xf16>) -> tensor<64x1xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, split = 1048577>} {
  ^bb0(%a: tensor<64x4096xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<64x4096xf16> -> tensor<64x1xf16>
    fused_group.yield %1 : tensor<64x1xf16>
  }
  func.return %0 : tensor<64x1xf16>
}
