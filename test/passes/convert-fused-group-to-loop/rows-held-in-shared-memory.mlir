// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// What the maximum is made of is brought once, for both passes; %b, which is not of the rows, and what only
// the last pass reads are read where they are.
// CHECK:      loop.for %[[B:.*]] = 0 to 5 kind = parallel map = grid {
// CHECK-NEXT:   %[[S:.*]] = loop.alloc : memref<1x50xf32, #loop.space<shared>>
// CHECK-NEXT:   loop.for %[[K:.*]] = 0 to 50 kind = parallel map = thread {
// CHECK-NEXT:     %[[X:.*]] = loop.load %xi[%[[B]], %[[K]]]
// CHECK-NEXT:     loop.store %[[X]], %[[S]][0, %[[K]]]
// CHECK:        loop.for %[[K:.*]] = 0 to 50 kind = reduction map = thread
// CHECK-NEXT:     loop.load %[[S]][0, %[[K]]]
// CHECK-NEXT:     loop.load %bi[%[[K]]]
// CHECK:        loop.combine %{{.*}} over block
// CHECK:        loop.for %[[K:.*]] = 0 to 50 kind = parallel map = thread
// CHECK-NEXT:     loop.load %[[S]][0, %[[K]]]
// CHECK-NOT:      loop.load %xi
// CHECK:          loop.load %yi[%[[B]], %[[K]]]
func.func @main(%x: tensor<5x50xf32>, %b: tensor<50xf32>, %y: tensor<5x50xf32>) -> tensor<5x50xf32> {
  %r = fused_group.group @g(%x, %b, %y) : (tensor<5x50xf32>, tensor<50xf32>, tensor<5x50xf32>) -> tensor<5x50xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 64, held = true>} {
  ^bb0(%xi: tensor<5x50xf32>, %bi: tensor<50xf32>, %yi: tensor<5x50xf32>):
    %a = graph.add %xi, %bi : (tensor<5x50xf32>, tensor<50xf32>) -> tensor<5x50xf32>
    %m = graph.reduce_max %a axes [1] keep_dims : tensor<5x50xf32> -> tensor<5x1xf32>
    %d = graph.sub %a, %m : (tensor<5x50xf32>, tensor<5x1xf32>) -> tensor<5x50xf32>
    %e = graph.mul %d, %yi : (tensor<5x50xf32>, tensor<5x50xf32>) -> tensor<5x50xf32>
    fused_group.yield %e : tensor<5x50xf32>
  }
  func.return %r : tensor<5x50xf32>
}
