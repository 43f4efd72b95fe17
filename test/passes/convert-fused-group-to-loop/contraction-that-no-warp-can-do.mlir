// RUN: dlc-opt %s --convert-fused-group-to-loop --verify-diagnostics

func.func @main(%x: tensor<32x64xf16>, %w: tensor<32x64xf16>) -> tensor<32x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<32x64xf16>, tensor<32x64xf16>) -> tensor<32x32xf16> attributes {
    // expected-error@below {{a warp's 8 x 16 x 64 does not divide into 16 x 8 x 16}}
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 64], warps = [4, 2], instruction = "mma.m16n8k16", stages = 2, split = 1, order = "row">} {
  ^bb0(%xi: tensor<32x64xf16>, %wi: tensor<32x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<32x64xf16>, tensor<32x64xf16>) -> tensor<32x32xf16>
    fused_group.yield %0 : tensor<32x32xf16>
  }
  func.return %y : tensor<32x32xf16>
}
