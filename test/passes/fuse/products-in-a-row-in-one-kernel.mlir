// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_90a --tile=arch=sm_90a --lower-to-loop | filecheck %s --check-prefix LOOP
// RUN: dlc-opt %s --fuse=arch=cpu-avx512 | filecheck %s

// A product of what another product gives: all blocks meet twice in a step.
// CHECK:         fused_group.group {{.*}}strategy = "recurrent"
// LOOP:          loop.kernel {{.*}}cooperative, filled
// LOOP:          %step = 0 to 40
// LOOP:          gpu.await %[[STATES:.*]][%step - 1,
// LOOP:          gpu.publish %{{.*}} to %[[GIVEN:.*]][%step,
// LOOP:          gpu.await %[[GIVEN]][%step,
// LOOP:          gpu.publish %{{.*}} to %[[STATES]][%step,
func.func @main(%x: tensor<40x1x512xf32>, %s: tensor<1x512xf32>, %u: tensor<512x512xf32>) -> tensor<40x1x512xf32> {
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 40 : i64} : (tensor<1x512xf32>) (tensor<40x1x512xf32>) (tensor<512x512xf32>) -> tensor<1x512xf32>, tensor<40x1x512xf32> {
  ^bb0(%h: tensor<1x512xf32>, %part: tensor<1x512xf32>, %m: tensor<512x512xf32>):
    %0 = graph.matmul %h, %m : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    %1 = graph.mul %0, %part : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %2 = graph.matmul %1, %m : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
    graph.yield %2, %2 : tensor<1x512xf32>, tensor<1x512xf32>
  }
  func.return %y : tensor<40x1x512xf32>
}
