// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

// What is computed for whole rows needs all of their columns in a block, or in a cluster.

func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error@below {{row_blocks = 1: the 128 columns of a row are 2 tiles of 64, and all of them are needed together; take wider tiles or other row_blocks}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3>} {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<64x128xf16> -> tensor<64x1xf16>
    %3 = graph.sub %1, %2 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
    fused_group.yield %3 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}

// -----

func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error@below {{row_blocks = 4: the 128 columns of a row are 2 tiles of 64}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, row_blocks = 4>} {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<64x128xf16> -> tensor<64x1xf16>
    %3 = graph.sub %1, %2 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
    fused_group.yield %3 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}

// -----

func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error@below {{row_blocks = 2 are for what is computed for whole rows; leave it out}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, row_blocks = 2>} {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    fused_group.yield %1 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}

// -----

func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error@below {{split = 2: a tile needs whole sums of whole rows; leave it out}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 2>} {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<64x128xf16> -> tensor<64x1xf16>
    %3 = graph.sub %1, %2 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
    fused_group.yield %3 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}
