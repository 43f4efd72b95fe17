// RUN: dlc-opt %s --split-input-file --convert-fused-group-to-loop --verify-diagnostics

func.func @two_warps(%x: tensor<64x64xf16>, %w: tensor<32x64xf16>) -> tensor<64x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16> attributes {
    // expected-error@below {{wgmma.m64n32k16 is done by 4 warps below each other; warps = [2, 1] has 2}}
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 32, 64], warps = [2, 1], instruction = "wgmma.m64n32k16">} {
  ^bb0(%xi: tensor<64x64xf16>, %wi: tensor<32x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16>
    fused_group.yield %0 : tensor<64x32xf16>
  }
  func.return %y : tensor<64x32xf16>
}

// -----

func.func @half_the_rows(%x: tensor<64x64xf16>, %w: tensor<32x64xf16>) -> tensor<64x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16> attributes {
    // expected-error@below {{a warpgroup's 32 x 32 x 64 does not divide into 64 x 32 x 16}}
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 32, 64], warps = [8, 1], instruction = "wgmma.m64n32k16">} {
  ^bb0(%xi: tensor<64x64xf16>, %wi: tensor<32x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16>
    fused_group.yield %0 : tensor<64x32xf16>
  }
  func.return %y : tensor<64x32xf16>
}

// -----

func.func @no_line(%x: tensor<64x64xf16>, %w: tensor<32x64xf16>) -> tensor<64x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16> attributes {
    // expected-error@below {{a slice of 48 is no line of f16 or bf16 that wgmma.m64n32k16 reads; use one of 16, 32, 64, or an instruction for other factors}}
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 32, 48], warps = [4, 1], instruction = "wgmma.m64n32k16">} {
  ^bb0(%xi: tensor<64x64xf16>, %wi: tensor<32x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<64x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16>
    fused_group.yield %0 : tensor<64x32xf16>
  }
  func.return %y : tensor<64x32xf16>
}
