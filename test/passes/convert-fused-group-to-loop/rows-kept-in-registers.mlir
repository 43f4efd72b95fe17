// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Rows of 250 start 0 or 2 elements behind a line of 4. A line that is in the row is loaded into registers at
// once; of another one, each element is, where it is in the row. Both passes read registers. Lines of the
// second round may be beyond the row.
// CHECK:      loop.for %[[B:.*]] = 0 to 5 kind = parallel map = grid {
// CHECK-DAG:    %[[R:.*]] = loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK-DAG:    %[[S:.*]] = loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK:        loop.for %[[T:.*]] = 0 to 32 kind = parallel map = thread {
// CHECK:          scf.if
// CHECK:            loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %xi[%[[B]], {{.*}}] : memref<5x250xf32>
// CHECK-NEXT:         loop.store {{.*}}[%[[V]]] : f32 -> memref<4xf32, #loop.space<register>>
// CHECK:          scf.if
// CHECK:            loop.for %[[V:.*]] = 0 to 4 kind = parallel map = unroll {
// CHECK-NEXT:         loop.load %xi[%[[B]], {{.*}}] guard [1] fill 0.000000e+00 : f32
// CHECK:        kind = reduction map = thread
// CHECK-NOT:      loop.load %xi
// CHECK:          arith.select
// CHECK:        loop.combine %{{.*}} over block
// CHECK-NOT:    loop.load %xi
// CHECK:        loop.load %yi
func.func @main(%x: tensor<5x250xf32>, %y: tensor<5x250xf32>) -> tensor<5x250xf32> {
  %r = fused_group.group @g(%x, %y) : (tensor<5x250xf32>, tensor<5x250xf32>) -> tensor<5x250xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 1, vector = 4>} {
  ^bb0(%xi: tensor<5x250xf32>, %yi: tensor<5x250xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<5x250xf32> -> tensor<5x1xf32>
    %d = graph.sub %xi, %m : (tensor<5x250xf32>, tensor<5x1xf32>) -> tensor<5x250xf32>
    %e = graph.mul %d, %yi : (tensor<5x250xf32>, tensor<5x250xf32>) -> tensor<5x250xf32>
    fused_group.yield %e : tensor<5x250xf32>
  }
  func.return %r : tensor<5x250xf32>
}
