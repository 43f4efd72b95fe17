// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A quotient of 32 bits is exact unless it says that it is near, as that of a softmax does.

// CHECK-LABEL: @exact
// CHECK:         arith.divf %{{[0-9a-z_]+}}, %{{[0-9a-z_]+}} : f32
// CHECK-LABEL: @near
// CHECK:         arith.divf %{{[0-9a-z_]+}}, %{{[0-9a-z_]+}} fastmath<afn> : f32
// CHECK-LABEL: @softmax
// CHECK:         arith.divf %{{[0-9a-z_]+}}, %{{[0-9a-z_]+}} fastmath<afn> : f32
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fused_group.group @exact(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32>} {
  ^bb0(%xi: tensor<4x8xf32>):
    %y = graph.div %xi, %xi : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    fused_group.yield %y : tensor<4x8xf32>
  }
  %1 = fused_group.group @near(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32>} {
  ^bb0(%xi: tensor<4x8xf32>):
    %y = graph.div %xi, %xi {near} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    fused_group.yield %y : tensor<4x8xf32>
  }
  %2 = fused_group.group @softmax(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32>} {
  ^bb0(%xi: tensor<4x8xf32>):
    %y = graph.softmax %xi axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %y : tensor<4x8xf32>
  }
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
