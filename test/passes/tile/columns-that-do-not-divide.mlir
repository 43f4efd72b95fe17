// RUN: dlc-opt %s --tile=arch=cpu-avx2 --verify-diagnostics

func.func @main(%x: tensor<64x10xf32>) -> tensor<64x10xf32> {
  // expected-error@below {{vector = 4 does not divide the 10 columns beside each other; use vector = 1}}
  %0 = fused_group.group @g(%x) : (tensor<64x10xf32>) -> tensor<64x10xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "cpu", vector = 4>} {
  ^bb0(%xi: tensor<64x10xf32>):
    %s = graph.cum_sum %xi axis 0 : tensor<64x10xf32> -> tensor<64x10xf32>
    fused_group.yield %s : tensor<64x10xf32>
  }
  func.return %0 : tensor<64x10xf32>
}
