// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A row of 203 elements starts anywhere in a line of 4. Of the 52 lines that it may touch, each thread of the two blocks
// brings one to its own place in shared memory, and goes through it there twice.
// CHECK:      loop.kernel @g(%xi: memref<3x203xf32>, %{{.*}}: memref<3x203xf32>) attributes {{{.*}}cluster = 2 : i64}
// CHECK:        %[[S:.*]] = loop.alloc : memref<1x128xf32, #loop.space<shared>>
// CHECK:        loop.for %[[T:.*]] = 0 to 32 kind = parallel map = thread {
// CHECK:          loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:       loop.load %xi[
// CHECK-NEXT:       loop.store %{{.*}}, %[[S]][0, %[[T]] * 4 + %[[V]]]
// CHECK:        loop.for %[[T:.*]] = 0 to 32 kind = reduction map = thread
// CHECK:            loop.load %[[S]][0, %[[T]] * 4 + %{{.*}}]
// CHECK-NOT:      loop.load %xi
// CHECK:        loop.meet
// CHECK-NEXT:   loop.combine %{{.*}} over cluster
// CHECK:            loop.load %[[S]][0, %{{.*}} * 4 + %{{.*}}]
// CHECK-NOT:      loop.load %xi
func.func @main(%x: tensor<3x203xf32>) -> tensor<3x203xf32> {
  %r = fused_group.group @g(%x) : (tensor<3x203xf32>) -> tensor<3x203xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, vector = 4, cluster = 2, held = true>} {
  ^bb0(%xi: tensor<3x203xf32>):
    %m = graph.reduce_max %xi axes [1] keep_dims : tensor<3x203xf32> -> tensor<3x1xf32>
    %d = graph.sub %xi, %m : (tensor<3x203xf32>, tensor<3x1xf32>) -> tensor<3x203xf32>
    fused_group.yield %d : tensor<3x203xf32>
  }
  func.return %r : tensor<3x203xf32>
}
