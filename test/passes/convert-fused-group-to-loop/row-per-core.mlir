// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// CHECK:      loop.for %[[R:.*]] = 0 to 5 kind = parallel map = cores {
// CHECK:        loop.for %{{.*}} = 0 to 48 kind = reduction map = serial
// CHECK:        loop.for %{{.*}} = 0 to 48 kind = parallel map = vector
func.func @main(%x: tensor<5x48xf32>) -> tensor<5x48xf32> {
  %y = fused_group.group @g(%x) : (tensor<5x48xf32>) -> tensor<5x48xf32> attributes {schedule = #loop.schedule<strategy = "row", cores = true>} {
  ^bb0(%xi: tensor<5x48xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<5x48xf32> -> tensor<5x1xf32>
    %d = graph.sub %xi, %m : (tensor<5x48xf32>, tensor<5x1xf32>) -> tensor<5x48xf32>
    fused_group.yield %d : tensor<5x48xf32>
  }
  func.return %y : tensor<5x48xf32>
}
