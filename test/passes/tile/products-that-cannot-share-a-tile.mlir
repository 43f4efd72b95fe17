// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  // expected-error@below {{groups = 3 do not divide the 8 products of the innermost loop of the batch}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 48, 48], warps = [2, 1], instruction = "mma.m16n8k16", groups = 3>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}

// -----

func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  // expected-error@below {{groups = 4 with warps = [2, 2]}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", groups = 4>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}

// -----

func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  // expected-error@below {{groups = 4 share a tile of matrix instructions only}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 1], instruction = "fma", groups = 4>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}

// -----

func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  // expected-error@below {{groups = 4: each product of the batch that shares the tile needs a multiple of 32 of its 64 columns and of 16 of the 64 places of a slice; a product without a batch has groups = 1}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 1], instruction = "mma.m16n8k16", interleave = 4, groups = 4>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}

// -----

func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  // expected-error@below {{groups = 8: each product of the batch that shares the tile needs a multiple of 8 of its 128 columns and of 16 of the 64 places of a slice}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 64], warps = [2, 1], instruction = "mma.m16n8k16", groups = 8>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}
