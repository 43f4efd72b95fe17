// RUN: dlc-opt %s --tile=arch=sm_80 --split-input-file --verify-diagnostics

// Warps with roles, tensor copies and clusters need what chips before sm_90 have not; the error names the key.

func.func @main(%x: tensor<128x768xf16>, %w: tensor<768x64xf16>) -> tensor<128x64xf16> {
  // expected-error@below {{copies = "tensor" needs tma, which sm_80 has not; leave copies out}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, copies = "tensor">} {
  ^bb0(%a: tensor<128x768xf16>, %b: tensor<768x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
    fused_group.yield %1 : tensor<128x64xf16>
  }
  func.return %0 : tensor<128x64xf16>
}

// -----

func.func @main(%x: tensor<128x768xf16>, %w: tensor<768x64xf16>) -> tensor<128x64xf16> {
  // expected-error@below {{producers = 2 needs mbarrier, which sm_80 has not; leave producers out}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 2>} {
  ^bb0(%a: tensor<128x768xf16>, %b: tensor<768x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
    fused_group.yield %1 : tensor<128x64xf16>
  }
  func.return %0 : tensor<128x64xf16>
}

// -----

func.func @main(%x: tensor<64x16384xf32>) -> tensor<64x16384xf32> {
  // expected-error@below {{cluster = 2 needs cluster, which sm_80 has not; leave cluster out}}
  %0 = fused_group.group @g0(%x) : (tensor<64x16384xf32>) -> tensor<64x16384xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 256, vector = 4, cluster = 2>} {
  ^bb0(%a: tensor<64x16384xf32>):
    %m = graph.reduce_max %a axes [1] keep_dims : tensor<64x16384xf32> -> tensor<64x1xf32>
    %1 = graph.sub %a, %m : (tensor<64x16384xf32>, tensor<64x1xf32>) -> tensor<64x16384xf32>
    fused_group.yield %1 : tensor<64x16384xf32>
  }
  func.return %0 : tensor<64x16384xf32>
}

// -----

func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x128xf16>) -> tensor<64x128xf16> {
  // expected-error@below {{row_blocks = 2 needs cluster, which sm_80 has not; leave row_blocks out}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, row_blocks = 2>} {
  ^bb0(%a: tensor<64x64xf16>, %b: tensor<64x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
    %2 = graph.reduce_max %1 axes [1] keep_dims : tensor<64x128xf16> -> tensor<64x1xf16>
    %3 = graph.sub %1, %2 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
    fused_group.yield %3 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}
