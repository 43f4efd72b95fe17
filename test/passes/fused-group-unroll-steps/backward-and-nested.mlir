// RUN: dlc-opt %s --fused-group-unroll-steps | filecheck %s

// The last part is the first step's. What all steps read is read as it is.
// CHECK-LABEL: @backward
// CHECK:         graph.slice %x {starts = array<i64: 1, 0>
// CHECK:         %[[LAST:.*]] = fused_group.group @g0_step0({{.*}}, %r)
// CHECK:         graph.slice %x {starts = array<i64: 0, 0>
// CHECK:         %[[FIRST:.*]] = fused_group.group @g0_step1({{.*}}, %r)
// CHECK:         %[[R0:.*]] = graph.reshape %[[FIRST]]
// CHECK-NEXT:    %[[R1:.*]] = graph.reshape %[[LAST]]
// CHECK-NEXT:    graph.concat %[[R0]], %[[R1]]
func.func @backward(%x: tensor<2x4xf32>, %r: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry() slice(%x) read(%r) {steps = 2 : i64, backward} : () (tensor<2x4xf32>) (tensor<4xf32>) -> tensor<2x4xf32> {
  ^bb0(%part: tensor<4xf32>, %m: tensor<4xf32>):
    %1 = fused_group.group @g0(%part, %m) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %2 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      fused_group.yield %2 : tensor<4xf32>
    }
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// A loop within a loop: two times three groups.
// CHECK-LABEL: @nested
// CHECK-NOT:     graph.step_loop
// CHECK:         fused_group.group @g1_step0_step0
// CHECK:         fused_group.group @g1_step1_step0
// CHECK:         fused_group.group @g1_step2_step0
// CHECK:         fused_group.group @g1_step0_step1
// CHECK:         fused_group.group @g1_step1_step1
// CHECK:         fused_group.group @g1_step2_step1
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @nested(%h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.step_loop carry(%h) slice() read() {steps = 2 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>):
    %1 = graph.step_loop carry(%s) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
    ^bb1(%t: tensor<4xf32>):
      %2 = fused_group.group @g1(%t) : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb2(%a: tensor<4xf32>):
        %3 = graph.tanh %a : tensor<4xf32> -> tensor<4xf32>
        fused_group.yield %3 : tensor<4xf32>
      }
      graph.yield %2 : tensor<4xf32>
    }
    graph.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
