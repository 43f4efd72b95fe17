// RUN: dlc-opt %s --tile --verify-diagnostics

// A row of one element has no neighbours that a thread could take with it.

func.func @main(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  // expected-error@below {{vector = 8: a row has one element; use vector = 1}}
  %y = fused_group.group @g(%x) : (tensor<1x1xf32>) -> tensor<1x1xf32> attributes {schedule = #loop.schedule<strategy = "scan", target = "gpu", threads = 64, vector = 8>} {
  ^bb0(%0: tensor<1x1xf32>):
    %1 = graph.cum_sum %0 axis 1 : tensor<1x1xf32> -> tensor<1x1xf32>
    %2 = graph.sub %1, %0 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    fused_group.yield %2 : tensor<1x1xf32>
  }
  func.return %y : tensor<1x1xf32>
}
