// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Rows of 50 start 0 or 2 elements behind a line of 4: the factor has a copy for each, read by lines as the row
// is. What two ops read, and what is no weight, stays as it is.
// CHECK:      loop.kernel @g(%{{[a-z0-9]+}}: memref<6x50xf32>, %[[W:[a-z0-9]+]]: memref<2x128xf32>, %[[B:[a-z0-9]+]]: memref<50xf32>, %[[C:[a-z0-9]+]]: memref<50xf32>
// CHECK:      kind = parallel map = vector
// CHECK:      kind = parallel map = vector
// CHECK:        loop.load %[[W]][%{{.*}} * 25 mod 2, %{{.*}} * 4 + %{{.*}}] : memref<2x128xf32>
// CHECK:        loop.load %[[B]][
// CHECK:        loop.load %[[C]][
// CHECK:      graph.weight @w : tensor<2x128xf32>
func.func @main(%x: tensor<6x50xf32>, %c: tensor<50xf32>) -> tensor<6x50xf32> {
  %w = graph.weight @w : tensor<50xf32>
  %b = graph.weight @b : tensor<50xf32>
  %y = fused_group.group @g(%x, %w, %b, %c) : (tensor<6x50xf32>, tensor<50xf32>, tensor<50xf32>, tensor<50xf32>) -> tensor<6x50xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<6x50xf32>, %wi: tensor<50xf32>, %bi: tensor<50xf32>, %ci: tensor<50xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<6x50xf32> -> tensor<6x1xf32>
    %d = graph.sub %xi, %m : (tensor<6x50xf32>, tensor<6x1xf32>) -> tensor<6x50xf32>
    %e = graph.mul %d, %wi : (tensor<6x50xf32>, tensor<50xf32>) -> tensor<6x50xf32>
    %f = graph.add %e, %bi : (tensor<6x50xf32>, tensor<50xf32>) -> tensor<6x50xf32>
    %g = graph.mul %f, %bi : (tensor<6x50xf32>, tensor<50xf32>) -> tensor<6x50xf32>
    %h = graph.add %g, %ci : (tensor<6x50xf32>, tensor<50xf32>) -> tensor<6x50xf32>
    fused_group.yield %h : tensor<6x50xf32>
  }
  func.return %y : tensor<6x50xf32>
}
