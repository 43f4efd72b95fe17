// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_90a --tile=arch=sm_90a --lower-to-loop | filecheck %s --check-prefix LOOP

// One kernel does all steps; weights of the body are inputs of its group, splats are in it.
// CHECK-LABEL: @main
// CHECK-DAG:     %[[S:.*]] = graph.splat
// CHECK-DAG:     %[[U:.*]] = graph.weight @u
// CHECK:         %[[Y:.*]] = fused_group.group @{{.*}}(%x, %[[U]]) {{.*}}strategy = "recurrent"
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<40x1x64xf16>, %[[M:.*]]: tensor<64x64xf16>):
// CHECK:           %[[Z:.*]] = graph.splat
// CHECK:           %{{.*}}, %[[ALL:.*]] = graph.step_loop carry(%[[Z]]) slice(%[[X]]) read(%[[M]])
// CHECK:           fused_group.yield %[[ALL]]
// CHECK-NOT:     graph.step_loop
// CHECK:         func.return %[[Y]]
// LOOP:          loop.kernel {{.*}}cooperative, filled
// LOOP:          %step = 0 to 40
// LOOP:          gpu.await
// LOOP:          gpu.publish
func.func @main(%x: tensor<40x1x64xf16>) -> tensor<40x1x64xf16> {
  %s = graph.splat 0.000000e+00 : f16 -> tensor<1x64xf16>
  %g, %y = graph.step_loop carry(%s) slice(%x) read() {steps = 40 : i64} : (tensor<1x64xf16>) (tensor<40x1x64xf16>) () -> tensor<1x64xf16>, tensor<40x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>):
    %m = graph.weight @u : tensor<64x64xf16>
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %y : tensor<40x1x64xf16>
}
