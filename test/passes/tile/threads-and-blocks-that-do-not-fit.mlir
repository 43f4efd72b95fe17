// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

// What helps depends on what there is too much of: more warps have fewer registers each, and more threads.

func.func @main(%x: tensor<5x4x2048xf16>) -> tensor<5x4x2048xf16> {
  %u = graph.weight @u : tensor<2048x2048xf16>
  // expected-error@below {{needs 1024 blocks at a time, sm_90a has 132 SMs; raise units or sequences}}
  %y = fused_group.group @g0(%x, %u) : (tensor<5x4x2048xf16>, tensor<2048x2048xf16>) -> tensor<5x4x2048xf16> attributes {schedule = #loop.schedule<strategy = "recurrent", target = "gpu", units = 8, sequences = 1, warps = [1, 8], instruction = "mma.m16n8k16">} {
  ^bb0(%a: tensor<5x4x2048xf16>, %m: tensor<2048x2048xf16>):
    %s = graph.splat 0.000000e+00 : f16 -> tensor<4x2048xf16>
    %last, %all = graph.step_loop carry(%s) slice(%a) read(%m) {steps = 5 : i64} : (tensor<4x2048xf16>) (tensor<5x4x2048xf16>) (tensor<2048x2048xf16>) -> tensor<4x2048xf16>, tensor<5x4x2048xf16> {
    ^bb0(%h: tensor<4x2048xf16>, %part: tensor<4x2048xf16>, %w: tensor<2048x2048xf16>):
      %0 = graph.matmul %h, %w : (tensor<4x2048xf16>, tensor<2048x2048xf16>) -> tensor<4x2048xf16>
      %1 = graph.add %0, %part : (tensor<4x2048xf16>, tensor<4x2048xf16>) -> tensor<4x2048xf16>
      %2 = graph.tanh %1 : tensor<4x2048xf16> -> tensor<4x2048xf16>
      graph.yield %2, %2 : tensor<4x2048xf16>, tensor<4x2048xf16>
    }
    fused_group.yield %all : tensor<5x4x2048xf16>
  }
  func.return %y : tensor<5x4x2048xf16>
}

// -----

func.func @main(%x: tensor<1x1200x64xf16>, %y: tensor<1x600x64xf16>) -> tensor<1x1200x64xf16> {
  // expected-error@below {{needs 1280 threads, sm_90a has 1024; lower warps, teams or producers}}
  %0 = fused_group.group @g(%x, %y) : (tensor<1x1200x64xf16>, tensor<1x600x64xf16>) -> tensor<1x1200x64xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 640, step = 64, warps = 40>} {
  ^bb0(%q: tensor<1x1200x64xf16>, %k: tensor<1x600x64xf16>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<1x1200x64xf16>, tensor<1x600x64xf16>) -> tensor<1x1200x600xf16>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<1x1200x600xf16> -> tensor<1x1200x1xf16>
    %d = graph.sub %s, %m : (tensor<1x1200x600xf16>, tensor<1x1200x1xf16>) -> tensor<1x1200x600xf16>
    %e = graph.exp %d : tensor<1x1200x600xf16> -> tensor<1x1200x600xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<1x1200x600xf16> -> tensor<1x1200x1xf16>
    %w = graph.div %e, %t : (tensor<1x1200x600xf16>, tensor<1x1200x1xf16>) -> tensor<1x1200x600xf16>
    %z = graph.matmul %w, %k : (tensor<1x1200x600xf16>, tensor<1x600x64xf16>) -> tensor<1x1200x64xf16>
    fused_group.yield %z : tensor<1x1200x64xf16>
  }
  func.return %0 : tensor<1x1200x64xf16>
}

// -----

func.func @main(%x: tensor<512x768xf32>, %w: tensor<768x512xf32>) -> tensor<512x512xf32> {
  // expected-error@below {{needs 2048 threads, sm_90a has 1024; lower warps, producers or turns}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<512x768xf32>, tensor<768x512xf32>) -> tensor<512x512xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 16], warps = [8, 8], instruction = "fma">} {
  ^bb0(%a: tensor<512x768xf32>, %b: tensor<768x512xf32>):
    %1 = graph.matmul %a, %b : (tensor<512x768xf32>, tensor<768x512xf32>) -> tensor<512x512xf32>
    fused_group.yield %1 : tensor<512x512xf32>
  }
  func.return %0 : tensor<512x512xf32>
}
