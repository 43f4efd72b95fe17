// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// The last axis stays: neighbouring threads have neighbouring rows, four of them each, and go through every
// eighth position. The sums of the four rows are combined at once.
// CHECK:      loop.for %[[B:.*]] = 0 to 6 kind = parallel map = grid {
// CHECK-NEXT:   loop.for %[[T:.*]] = 0 to 4 kind = parallel map = thread attributes {team = 8 : i64, apart} {
// CHECK:          %[[SUMS:.*]] = loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK:          loop.for %[[K:.*]] = 0 to 49 kind = reduction map = thread attributes {straight} {
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %xi[%[[B]] floordiv 2, %[[K]], %[[B]] mod 2 * 16 + %[[T]] * 4 + %[[V]]]
// CHECK:              loop.store %{{.*}}, %[[SUMS]][%[[V]]]
// CHECK:          loop.combine %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} over team : f32, f32, f32, f32
// CHECK:          loop.for %{{.*}} = 0 to 1 kind = parallel map = thread {
// CHECK-NEXT:       loop.for %{{.*}} = 0 to 4 kind = parallel map = vector {
// CHECK:              loop.store
func.func @main(%x: tensor<3x49x32xf32>) -> tensor<3x32xf32> {
  %y = fused_group.group @g(%x) : (tensor<3x49x32xf32>) -> tensor<3x32xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, vector = 4, lanes = "across">} {
  ^bb0(%xi: tensor<3x49x32xf32>):
    %m = graph.reduce_mean %xi axes [1] : tensor<3x49x32xf32> -> tensor<3x32xf32>
    fused_group.yield %m : tensor<3x32xf32>
  }
  func.return %y : tensor<3x32xf32>
}
