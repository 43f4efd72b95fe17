// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Two blocks have a row: the first one lines 0 to 31, the second one 32 to 63. They meet while loads are under way.
// CHECK:      loop.kernel {{.*}}cluster = 2 : i64
// CHECK:      loop.for %[[B:.*]] = 0 to 6 kind = parallel map = grid {
// CHECK:        loop.for %[[T:.*]] = 0 to 32 kind = parallel map = thread {
// CHECK:            loop.load %xi[%[[B]] floordiv 2, %[[B]] floordiv 2 * -256 + %[[B]] * 128 + %[[T]] * 4 + %{{.*}}] : memref<3x256xf32>
// CHECK:        loop.meet
// CHECK:        loop.combine %{{.*}} over cluster : f32
func.func @main(%x: tensor<3x256xf32>) -> tensor<3x256xf32> {
  %r = fused_group.group @g(%x) : (tensor<3x256xf32>) -> tensor<3x256xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 4, cluster = 2>} {
  ^bb0(%xi: tensor<3x256xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<3x256xf32> -> tensor<3x1xf32>
    %d = graph.sub %xi, %m : (tensor<3x256xf32>, tensor<3x1xf32>) -> tensor<3x256xf32>
    fused_group.yield %d : tensor<3x256xf32>
  }
  func.return %r : tensor<3x256xf32>
}
