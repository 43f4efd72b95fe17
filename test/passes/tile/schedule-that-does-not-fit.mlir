// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

func.func @main(%x: tensor<128x768xf16>, %w: tensor<768x64xf16>) -> tensor<128x64xf16> {
  // expected-error@below {{strategy 'map' does not lower this group; it needs 'contract'}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu">} {
  ^bb0(%a: tensor<128x768xf16>, %b: tensor<768x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
    fused_group.yield %1 : tensor<128x64xf16>
  }
  func.return %0 : tensor<128x64xf16>
}

// -----

func.func @main(%x: tensor<128x768xf32>, %w: tensor<768x64xf32>) -> tensor<128x64xf32> {
  // expected-error@below {{schedule key tile should be 3 integers from 1 to 1048576, is [64, 64]}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64], warps = [2, 2], instruction = "fma">} {
  ^bb0(%a: tensor<128x768xf32>, %b: tensor<768x64xf32>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32>
    fused_group.yield %1 : tensor<128x64xf32>
  }
  func.return %0 : tensor<128x64xf32>
}

// -----

func.func @main(%x: tensor<128x768xf32>, %w: tensor<768x64xf32>) -> tensor<128x64xf32> {
  // expected-error@below {{needs 327680 bytes of shared memory, sm_90a has 232448; lower tile, stages or turns}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 4], instruction = "fma", stages = 5>} {
  ^bb0(%a: tensor<128x768xf32>, %b: tensor<768x64xf32>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf32>, tensor<768x64xf32>) -> tensor<128x64xf32>
    fused_group.yield %1 : tensor<128x64xf32>
  }
  func.return %0 : tensor<128x64xf32>
}

// -----

func.func @main(%x: tensor<128x768xf16>, %w: tensor<768x128xf16>) -> tensor<128x128xf16> {
  // expected-error@below {{needs 266240 bytes of shared memory, sm_90a has 232448; lower tile, stages or turns}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf16>, tensor<768x128xf16>) -> tensor<128x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 8, producers = 4, turns = 2, blocks = 2, exchange = true>} {
  ^bb0(%a: tensor<128x768xf16>, %b: tensor<768x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf16>, tensor<768x128xf16>) -> tensor<128x128xf16>
    fused_group.yield %1 : tensor<128x128xf16>
  }
  func.return %0 : tensor<128x128xf16>
}
