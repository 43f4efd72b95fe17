// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// CHECK:      loop.for %[[R:.*]] = 0 to 5 kind = parallel map = cores {
// 48 elements are 3 rounds of 16 lanes; then the lanes are folded in halves.
// CHECK:        %[[A:.*]] = loop.alloc : memref<16xf32, #loop.space<register>>
// CHECK:        loop.for %[[K:.*]] = 0 to 3 kind = reduction map = serial {
// CHECK-NEXT:     loop.for %[[L:.*]] = 0 to 16 kind = parallel map = vector {
// CHECK:            loop.load %xi[%[[R]], %[[K]] * 16 + %[[L]]]
// CHECK:        loop.for %{{.*}} = 0 to 8 kind = parallel map = vector
// CHECK:        %[[M:.*]] = loop.load %[[A]][0]
// CHECK:        loop.for %{{.*}} = 0 to 48 kind = parallel map = vector
func.func @main(%x: tensor<5x48xf32>) -> tensor<5x48xf32> {
  %y = fused_group.group @g(%x) : (tensor<5x48xf32>) -> tensor<5x48xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "cpu", cores = true>} {
  ^bb0(%xi: tensor<5x48xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<5x48xf32> -> tensor<5x1xf32>
    %d = graph.sub %xi, %m : (tensor<5x48xf32>, tensor<5x1xf32>) -> tensor<5x48xf32>
    fused_group.yield %d : tensor<5x48xf32>
  }
  func.return %y : tensor<5x48xf32>
}
