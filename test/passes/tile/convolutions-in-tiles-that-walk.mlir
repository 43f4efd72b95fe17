// RUN: dlc-opt %s --tile=arch=sm_90a | filecheck %s

// Tensor copies bring pixels. The columns of a tile divide those of the result.
// CHECK-LABEL: @narrow
// CHECK: tile = [192, 192, 64], warps = [12, 1], instruction = "wgmma.m64n192k16", stages = 4
// CHECK-SAME: turns = 1, producer_registers = 40, blocks = 97, copies = "tensor"
func.func @narrow(%x: tensor<64x17x17x192xf16>, %w: tensor<192x1x7x192xf16>) -> tensor<64x17x17x192xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x17x17x192xf16>, tensor<192x1x7x192xf16>) -> tensor<64x17x17x192xf16> {
  ^bb0(%a: tensor<64x17x17x192xf16>, %b: tensor<192x1x7x192xf16>):
    %r = graph.conv %a, %b strides [1, 1] padding [0, 3, 0, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x17x17x192xf16>, tensor<192x1x7x192xf16>) -> tensor<64x17x17x192xf16>
    fused_group.yield %r : tensor<64x17x17x192xf16>
  }
  func.return %y : tensor<64x17x17x192xf16>
}

// 160 channels are five lines of 64 bytes.
// CHECK-LABEL: @lines_of_64_bytes
// CHECK: tile = [256, 160, 32], warps = [8, 1], instruction = "wgmma.m64n160k16", stages = 8
// CHECK-SAME: turns = 1, producer_registers = 40, blocks = 73, copies = "tensor"
func.func @lines_of_64_bytes(%x: tensor<64x17x17x160xf16>, %w: tensor<160x1x7x160xf16>) -> tensor<64x17x17x160xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x17x17x160xf16>, tensor<160x1x7x160xf16>) -> tensor<64x17x17x160xf16> {
  ^bb0(%a: tensor<64x17x17x160xf16>, %b: tensor<160x1x7x160xf16>):
    %r = graph.conv %a, %b strides [1, 1] padding [0, 3, 0, 3] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x17x17x160xf16>, tensor<160x1x7x160xf16>) -> tensor<64x17x17x160xf16>
    fused_group.yield %r : tensor<64x17x17x160xf16>
  }
  func.return %y : tensor<64x17x17x160xf16>
}

// 80 channels would be lines of 32 bytes: threads copy.
// CHECK-LABEL: @lines_of_32_bytes
// CHECK: blocks = 0, copies = "threads"
func.func @lines_of_32_bytes(%x: tensor<64x73x73x80xf16>, %w: tensor<192x3x3x80xf16>) -> tensor<64x71x71x192xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<64x73x73x80xf16>, tensor<192x3x3x80xf16>) -> tensor<64x71x71x192xf16> {
  ^bb0(%a: tensor<64x73x73x80xf16>, %b: tensor<192x3x3x80xf16>):
    %r = graph.conv %a, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<64x73x73x80xf16>, tensor<192x3x3x80xf16>) -> tensor<64x71x71x192xf16>
    fused_group.yield %r : tensor<64x71x71x192xf16>
  }
  func.return %y : tensor<64x71x71x192xf16>
}
