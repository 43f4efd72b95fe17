// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// An exponential may be off by what a result of 16 bits does not show; of 32 bits it is exact.

// CHECK-LABEL: @short
// CHECK:         math.exp %{{.*}} fastmath<afn> : f32
// CHECK-LABEL: @full
// CHECK:         math.exp %{{[0-9a-z_]+}} : f32
func.func @main(%x: tensor<512xf16>, %y: tensor<512xf32>) -> (tensor<512xf16>, tensor<512xf32>) {
  %0 = fused_group.group @short(%x) : (tensor<512xf16>) -> tensor<512xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 128>} {
  ^bb0(%xi: tensor<512xf16>):
    %e = graph.exp %xi : tensor<512xf16> -> tensor<512xf16>
    fused_group.yield %e : tensor<512xf16>
  }
  %1 = fused_group.group @full(%y) : (tensor<512xf32>) -> tensor<512xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 128>} {
  ^bb0(%yi: tensor<512xf32>):
    %e = graph.exp %yi : tensor<512xf32> -> tensor<512xf32>
    fused_group.yield %e : tensor<512xf32>
  }
  func.return %0, %1 : tensor<512xf16>, tensor<512xf32>
}
