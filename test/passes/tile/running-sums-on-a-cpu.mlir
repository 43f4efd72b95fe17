// RUN: dlc-opt %s --tile=arch=cpu-avx2 | filecheck %s

// Each sum is made of the one before: 4 million additions, not 65,536 times as many.
// CHECK: schedule = #loop.schedule<strategy = "scan", target = "cpu", cores = true, vector = 1>
func.func @main(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %0 = fused_group.group @g(%x) : (tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  ^bb0(%xi: tensor<64x65536xf32>):
    %s = graph.cum_sum %xi axis 1 : tensor<64x65536xf32> -> tensor<64x65536xf32>
    fused_group.yield %s : tensor<64x65536xf32>
  }
  func.return %0 : tensor<64x65536xf32>
}
