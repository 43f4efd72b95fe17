// RUN: dlc-opt %s --tile=arch=sm_90a --split-input-file --verify-diagnostics

func.func @main(%x: tensor<6x4xf32>) -> tensor<6x12xf32> {
  // expected-error@below {{columns = 2 with vector = 4 does not fit the group; use columns = 2 with vector = 1}}
  %y = fused_group.group @g(%x) : (tensor<6x4xf32>) -> tensor<6x12xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 2>} {
  ^bb0(%xi: tensor<6x4xf32>):
    %w = graph.constant dense<[[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]> : tensor<3x2xf32>
    %r = graph.resample %xi weights %w {axes = array<i64: 1>, sizes = array<i64: 12>, lines = array<i64: 1, -1, 3>} : tensor<6x4xf32>, tensor<3x2xf32> -> tensor<6x12xf32>
    fused_group.yield %r : tensor<6x12xf32>
  }
  func.return %y : tensor<6x12xf32>
}

// -----

func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error@below {{columns = 5 with vector = 4 does not fit the group; use columns = 1}}
  %y = fused_group.group @g(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 5>} {
  ^bb0(%xi: tensor<64x64xf32>):
    %r = graph.relu %xi : tensor<64x64xf32> -> tensor<64x64xf32>
    fused_group.yield %r : tensor<64x64xf32>
  }
  func.return %y : tensor<64x64xf32>
}
