// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// The block's threads share a row of 3 x 1000 elements along the axes 0 and 2; one of them stores.
// CHECK:      loop.kernel @g({{.*}}) attributes {outputs = 1 : i64, threads = 128 : i64} {
// CHECK:      loop.for %[[B:.*]] = 0 to 7 kind = parallel map = grid {
// CHECK:        %[[PART:.*]] = loop.for %[[K:.*]] = 0 to 3000 kind = reduction map = thread
// CHECK-NEXT:     loop.load %{{.*}}[%[[K]] floordiv 1000, %[[B]], %[[K]] mod 1000]
// CHECK:        loop.combine %[[PART]] over block : f32
// CHECK:        loop.for %{{.*}} = 0 to 1 kind = parallel map = thread
// CHECK-NEXT:     loop.store %{{.*}}, %{{.*}}[%[[B]]]
func.func @main(%x: tensor<3x7x1000xf32>) -> tensor<7xf32> {
  %y = fused_group.group @g(%x) : (tensor<3x7x1000xf32>) -> tensor<7xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 128>} {
  ^bb0(%xi: tensor<3x7x1000xf32>):
    %s = graph.reduce_sum %xi axes [0, 2] : tensor<3x7x1000xf32> -> tensor<7xf32>
    fused_group.yield %s : tensor<7xf32>
  }
  func.return %y : tensor<7xf32>
}
