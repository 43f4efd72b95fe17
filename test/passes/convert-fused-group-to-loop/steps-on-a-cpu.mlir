// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Two steps a round, the second one backward; what they read of states they do not write. Each
// asks for its part of the step, and each tile for a line of the next block's weights.
// CHECK-LABEL: loop.kernel @g0(%a: memref<5x6x64xf32>, %m: memref<4x1x64x16xf32>, %0: memref<5x6x64xf32>, %1: memref<2x6x64xf32>)
// CHECK:         loop.store %{{.*}}, %1[0, %{{.*}}, %{{.*}}]
// CHECK:         loop.for %[[P:.*]] = 0 to 2 kind = reduction
// CHECK-NEXT:      loop.for %[[B:.*]] = 0 to 4 kind = parallel map = cores {
// CHECK:             loop.for %[[T:.*]] = 0 to 2 kind = parallel map = serial {
// CHECK:               loop.prefetch %a[%[[P]] * 2, %{{.*}}, %[[B]] * 16] : memref<5x6x64xf32>
// CHECK:               loop.for %[[K:.*]] = 0 to 64 kind = reduction
// CHECK-NEXT:            loop.prefetch %m[%[[B]], 0, %[[K]], 0] next %[[B]]
// CHECK:                 loop.load %1[0, %[[T]] * 3, %[[K]]]
// CHECK:             loop.load %a[%[[P]] * 2, %{{.*}}, %{{.*}}]
// CHECK:             loop.store %{{.*}}, %1[1, %{{.*}}, %{{.*}}]
// CHECK:           loop.for %{{.*}} = 0 to 4 kind = parallel map = cores attributes {backward} {
// CHECK:             loop.store %{{.*}}, %1[0, %{{.*}}, %{{.*}}]
// The fifth step.
// CHECK:         loop.for %{{.*}} = 0 to 4 kind = parallel map = cores {
// CHECK:           loop.store %{{.*}}, %1[1, %{{.*}}, %{{.*}}]
// CHECK:           loop.store %{{.*}}, %0[4, %{{.*}}, %{{.*}}]
func.func @main(%x: tensor<5x6x64xf32>) -> tensor<5x6x64xf32> {
  %u = graph.weight @u : tensor<64x64xf32>
  %y = fused_group.group @g0(%x, %u) : (tensor<5x6x64xf32>, tensor<64x64xf32>) -> tensor<5x6x64xf32> attributes {schedule = #loop.schedule<strategy = "recurrent", target = "cpu", tile = [3, 16], lanes = 8, cores = true, ahead = true>} {
  ^bb0(%a: tensor<5x6x64xf32>, %m: tensor<64x64xf32>):
    %s = graph.splat 0.000000e+00 : f32 -> tensor<6x64xf32>
    %last, %all = graph.step_loop carry(%s) slice(%a) read(%m) {steps = 5 : i64} : (tensor<6x64xf32>) (tensor<5x6x64xf32>) (tensor<64x64xf32>) -> tensor<6x64xf32>, tensor<5x6x64xf32> {
    ^bb0(%h: tensor<6x64xf32>, %part: tensor<6x64xf32>, %w: tensor<64x64xf32>):
      %0 = graph.matmul %h, %w : (tensor<6x64xf32>, tensor<64x64xf32>) -> tensor<6x64xf32>
      %1 = graph.add %0, %part : (tensor<6x64xf32>, tensor<6x64xf32>) -> tensor<6x64xf32>
      %2 = graph.tanh %1 : tensor<6x64xf32> -> tensor<6x64xf32>
      graph.yield %2, %2 : tensor<6x64xf32>, tensor<6x64xf32>
    }
    fused_group.yield %all : tensor<5x6x64xf32>
  }
  func.return %y : tensor<5x6x64xf32>
}
