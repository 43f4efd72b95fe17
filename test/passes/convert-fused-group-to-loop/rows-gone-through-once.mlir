// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Rows of 1031 in lines of 2: the whole ones, but those of the first round, in a loop, four at a time; nothing
// is kept.
// CHECK-NOT:  loop.alloc
// CHECK:      loop.for %{{.*}} = 0 to 32 kind = reduction map = thread
// CHECK:        scf.if
// CHECK:        loop.for %{{.*}} = 0 to 3 kind = reduction map = serial
// CHECK-COUNT-4:  loop.for %{{.*}} = 0 to 2 kind = reduction map = unroll
// CHECK:        scf.if
// CHECK:      loop.combine
func.func @main(%x: tensor<6x1031xf32>) -> tensor<6xf32> {
  %y = fused_group.group @g(%x) : (tensor<6x1031xf32>) -> tensor<6xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 2>} {
  ^bb0(%xi: tensor<6x1031xf32>):
    %m = graph.reduce_sum %xi axes [1] : tensor<6x1031xf32> -> tensor<6xf32>
    fused_group.yield %m : tensor<6xf32>
  }
  func.return %y : tensor<6xf32>
}
