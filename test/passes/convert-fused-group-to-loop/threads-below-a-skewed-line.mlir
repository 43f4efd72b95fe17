// RUN: dlc-opt %s --convert-fused-group-to-loop --verify-diagnostics

func.func @few_threads(%x: tensor<133x161xf16>) -> tensor<161x133xf16> {
  // expected-error @+1 {{threads = 16: 17 threads bring a line of the tile; use as many}}
  %y = fused_group.group @g(%x) : (tensor<133x161xf16>) -> tensor<161x133xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 16, vector = 2, tile = [128, 32]>} {
  ^bb0(%xi: tensor<133x161xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 1, 0>} : tensor<133x161xf16> -> tensor<161x133xf16>
    fused_group.yield %t : tensor<161x133xf16>
  }
  func.return %y : tensor<161x133xf16>
}
