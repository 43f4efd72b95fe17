// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Two teams have four rows each, one after the other. Weights stand in registers before the first one; elements of rows
// beyond the last are written, too, where nobody moves them from: no load waits for a condition.
// CHECK:      loop.for %[[T:.*]] = 0 to 2 kind = parallel map = thread attributes {team = 32 : i64}
// CHECK:        loop.load %w[
// CHECK:        loop.for %[[U:.*]] = 0 to 4 kind = parallel map = serial {
// CHECK-NOT:      loop.load %w
// CHECK-NOT:      scf.if
// CHECK:          loop.store %{{.*}}, %{{.*}}[%[[T]] * 4 + %[[U]],
// CHECK-NOT:      loop.load %w
func.func @main(%x: tensor<23x32xf32>, %v: tensor<32xf32>) -> tensor<23x32xf32> {
  %r = fused_group.group @g(%x, %v) : (tensor<23x32xf32>, tensor<32xf32>) -> tensor<23x32xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 8, packed = true, turns = 4>} {
  ^bb0(%xi: tensor<23x32xf32>, %w: tensor<32xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<23x32xf32> -> tensor<23x1xf32>
    %d = graph.sub %xi, %m : (tensor<23x32xf32>, tensor<23x1xf32>) -> tensor<23x32xf32>
    %p = graph.mul %d, %w : (tensor<23x32xf32>, tensor<32xf32>) -> tensor<23x32xf32>
    fused_group.yield %p : tensor<23x32xf32>
  }
  func.return %r : tensor<23x32xf32>
}

// Of a row beyond the last, no reduction is stored: nothing moves it, the team stores it itself.
// CHECK:      loop.kernel @h(%{{.*}}: memref<23x32xf32>, %[[M:.*]]: memref<23x1xf32>)
// CHECK:        loop.combine
// CHECK:        %[[ROW:.*]] = loop.index [%{{.*}} * 8 + %{{.*}} * 4 + %{{.*}}]
// CHECK-NEXT:   %[[ROWS:.*]] = arith.constant 23 : index
// CHECK-NEXT:   %[[IS_ROW:.*]] = arith.cmpi slt, %[[ROW]], %[[ROWS]] : index
// CHECK-NEXT:   scf.if %[[IS_ROW]] {
// CHECK-NEXT:     loop.for
// CHECK-NEXT:       loop.store %{{.*}}, %[[M]][
func.func @reduced(%x: tensor<23x32xf32>) -> tensor<23x1xf32> {
  %r = fused_group.group @h(%x) : (tensor<23x32xf32>) -> tensor<23x1xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 8, packed = true, turns = 4>} {
  ^bb0(%xi: tensor<23x32xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<23x32xf32> -> tensor<23x1xf32>
    fused_group.yield %m : tensor<23x1xf32>
  }
  func.return %r : tensor<23x1xf32>
}
