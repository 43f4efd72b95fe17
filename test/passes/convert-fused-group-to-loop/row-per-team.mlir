// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Four rows per block, a team of threads for each; the last block has one. Teams without a row do the last
// one, since all threads of a block come to what teams exchange, and store nothing.
// CHECK:      loop.for %[[B:.*]] = 0 to 2 kind = parallel map = grid {
// CHECK-NEXT:   loop.for %[[T:.*]] = 0 to 4 kind = parallel map = thread attributes {team = 32 : i64} {
// CHECK:          %[[ROW:.*]] = arith.minsi
// CHECK:          %[[PART:.*]] = loop.for %[[K:.*]] = 0 to 12 kind = reduction map = thread
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 4 kind = reduction map = unroll
// CHECK-NEXT:         loop.load %{{.*}}[%[[ROW]], %[[K]] * 4 + %[[V]]]
// CHECK:          %[[MAX:.*]] = loop.combine %[[PART]] over team : f32
// CHECK:          scf.if
// CHECK-NEXT:       loop.for %{{.*}} = 0 to 12 kind = parallel map = thread
// CHECK-NEXT:         loop.for %{{.*}} = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:           loop.load
// CHECK-NEXT:           arith.subf %{{.*}}, %[[MAX]] : f32
// CHECK-NEXT:           loop.store
func.func @main(%x: tensor<5x48xf32>) -> tensor<5x48xf32> {
  %y = fused_group.group @g(%x) : (tensor<5x48xf32>) -> tensor<5x48xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 4, vector = 4>} {
  ^bb0(%xi: tensor<5x48xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<5x48xf32> -> tensor<5x1xf32>
    %d = graph.sub %xi, %m : (tensor<5x48xf32>, tensor<5x1xf32>) -> tensor<5x48xf32>
    fused_group.yield %d : tensor<5x48xf32>
  }
  func.return %y : tensor<5x48xf32>
}
