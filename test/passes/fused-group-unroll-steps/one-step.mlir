// RUN: dlc-opt %s --fused-group-unroll-steps | filecheck %s

// The only part is all there is: it begins where the whole does. Other groups keep their names.
// CHECK-LABEL: @one_step
// CHECK:         %[[G:.*]] = fused_group.group @g1_step0
// CHECK:         %[[Y:.*]] = graph.reshape %[[G]] {sizes = array<i64: 1, 3>}
// CHECK:         fused_group.group @g0(%[[Y]])
func.func @one_step(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.step_loop carry() slice(%x) read() {steps = 1 : i64} : () (tensor<1x3xf32>) () -> tensor<1x3xf32> {
  ^bb0(%part: tensor<3xf32>):
    %1 = fused_group.group @g1(%part) : (tensor<3xf32>) -> tensor<3xf32> {
    ^bb1(%a: tensor<3xf32>):
      %2 = graph.tanh %a : tensor<3xf32> -> tensor<3xf32>
      fused_group.yield %2 : tensor<3xf32>
    }
    graph.yield %1 : tensor<3xf32>
  }
  %3 = fused_group.group @g0(%0) : (tensor<1x3xf32>) -> tensor<1x3xf32> {
  ^bb1(%b: tensor<1x3xf32>):
    %4 = graph.relu %b : tensor<1x3xf32> -> tensor<1x3xf32>
    fused_group.yield %4 : tensor<1x3xf32>
  }
  func.return %3 : tensor<1x3xf32>
}
