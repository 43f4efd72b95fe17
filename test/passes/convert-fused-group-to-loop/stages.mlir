// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The loops of each stage as its strategy writes them; what stages give each other is scratch, read in the shape
// of the view that the next stage sees, and all blocks meet in between. One counter serves all meetings.

// CHECK-LABEL: loop.kernel @g(
// CHECK-SAME:    %[[OUT:[0-9]+]]: memref<3x1xf32>, %[[ROWS:[0-9]+]]: memref<6x8xf32>, %[[COUNTER:[0-9]+]]: memref<1xi32>, %[[SUMS:[0-9]+]]: memref<6xf32>)
// CHECK-SAME:    scratch = array<i64: 192, 4, 24>, threads = 32 : i64, blocks = 5 : i64, cooperative, filled = array<i64: 3>
// CHECK:         loop.for {{.*}} map = grid
// CHECK:         loop.store %{{.*}}, %[[ROWS]]
// CHECK:         loop.barrier %[[COUNTER]] over grid {number = 1 : i64}
// CHECK:         loop.for {{.*}} map = grid
// CHECK:         loop.load %[[ROWS]]
// CHECK:         loop.store %{{.*}}, %[[SUMS]]
// CHECK:         loop.barrier %[[COUNTER]] over grid {number = 2 : i64}
// CHECK:         loop.for {{.*}} map = grid
// CHECK:         loop.load %[[SUMS]]
// CHECK:         loop.store %{{.*}}, %[[OUT]]
// CHECK-NOT:     loop.barrier
// CHECK:         loop.end
func.func @main(%x: tensor<6x8xf32>) -> tensor<3x1xf32> {
  %0 = fused_group.group @g(%x) : (tensor<6x8xf32>) -> tensor<3x1xf32> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 32, blocks = 5, carry = ["grid", "grid"], stages = [{strategy = "scan", threads = 32}, {strategy = "row", threads = 32}, {strategy = "row", threads = 32}]>} {
  ^bb0(%a: tensor<6x8xf32>):
    %1 = graph.cum_sum %a axis 1 : tensor<6x8xf32> -> tensor<6x8xf32>
    %2 = graph.reduce_sum %1 axes [1] : tensor<6x8xf32> -> tensor<6xf32>
    %3 = graph.reshape %2 {sizes = array<i64: 3, 2>} : tensor<6xf32> -> tensor<3x2xf32>
    %4 = graph.reduce_max %3 axes [1] keep_dims : tensor<3x2xf32> -> tensor<3x1xf32>
    fused_group.yield %4 : tensor<3x1xf32>
  }
  func.return %0 : tensor<3x1xf32>
}
