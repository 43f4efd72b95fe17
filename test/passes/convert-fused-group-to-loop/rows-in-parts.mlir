// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Two kernels: the sums of seven parts of each row, then the sum of the parts. 50 positions are 7 for each
// part, and one more for the first.
// CHECK:      loop.kernel @g_1(%xi: memref<50x32xf32>, %[[PARTS:.*]]: memref<32x7xf32>)
// CHECK:        loop.for %[[B:.*]] = 0 to 14 kind = parallel map = grid {
// CHECK:            loop.for %[[K:.*]] = 0 to 7 kind = reduction map = thread {
// CHECK:                loop.load %xi[%[[B]] floordiv 2 * 7 + %[[K]], %{{.*}}]
// CHECK:            loop.for %{{.*}} = 0 to 1 kind = parallel map = thread {
// CHECK:              scf.if
// CHECK:                  loop.load %xi[%[[B]] floordiv 2 + 49, %{{.*}}]
// CHECK:            loop.store %{{.*}}, %[[PARTS]][%{{.*}}, %[[B]] floordiv 2]
// CHECK:      loop.kernel @g_2(%{{.*}}: memref<32x7xf32>, %{{.*}}: memref<32xf32>)
// CHECK:            %[[SUM:.*]] = loop.for %[[P:.*]] = 0 to 7 kind = reduction map = thread
// CHECK:            loop.combine %[[SUM]] over team
// CHECK:      fused_group.launch @g_1
// CHECK:      fused_group.launch @g_2(
func.func @main(%x: tensor<50x32xf32>) -> tensor<32xf32> {
  %y = fused_group.group @g(%x) : (tensor<50x32xf32>) -> tensor<32xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, vector = 4, lanes = "across", split = 7>} {
  ^bb0(%xi: tensor<50x32xf32>):
    %m = graph.reduce_sum %xi axes [0] : tensor<50x32xf32> -> tensor<32xf32>
    fused_group.yield %m : tensor<32xf32>
  }
  func.return %y : tensor<32xf32>
}
