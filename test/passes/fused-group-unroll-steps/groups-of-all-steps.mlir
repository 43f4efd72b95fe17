// RUN: dlc-opt %s --fused-group-unroll-steps | filecheck %s

// A step reads its part, and the state that the step before has left; weights stand there once.
// CHECK-LABEL: @forward
// CHECK-NOT:     graph.step_loop
// CHECK:         %[[W:.*]] = graph.weight @w
// CHECK:         %[[S0:.*]] = graph.slice %x {starts = array<i64: 0, 0>
// CHECK-NEXT:    %[[P0:.*]] = graph.reshape %[[S0]]
// CHECK-NEXT:    %[[H0:.*]] = fused_group.group @g7_step0(%h, %[[P0]], %[[W]]) {{.*}}boundaries
// CHECK:         %[[S1:.*]] = graph.slice %x {starts = array<i64: 1, 0>
// CHECK-NEXT:    %[[P1:.*]] = graph.reshape %[[S1]]
// CHECK-NOT:     graph.weight
// CHECK:         %[[H1:.*]] = fused_group.group @g7_step1(%[[H0]], %[[P1]], %[[W]])
// CHECK:         %[[R0:.*]] = graph.reshape %[[H0]]
// CHECK-NEXT:    %[[R1:.*]] = graph.reshape %[[H1]]
// CHECK-NEXT:    %[[Y:.*]] = graph.concat %[[R0]], %[[R1]] {axis = 0 : i64}
// CHECK-NEXT:    func.return %[[H1]], %[[Y]]
func.func @forward(%h: tensor<4xf32>, %x: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %0, %1 = graph.step_loop carry(%h) slice(%x) read() {steps = 2 : i64} : (tensor<4xf32>) (tensor<2x4xf32>) () -> tensor<4xf32>, tensor<2x4xf32> {
  ^bb0(%s: tensor<4xf32>, %part: tensor<4xf32>):
    %w = graph.weight @w : tensor<4xf32>
    %2 = fused_group.group @g7(%s, %part, %w) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {boundaries = ["g8: no"]} {
    ^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
      %3 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %4 = graph.mul %3, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      fused_group.yield %4 : tensor<4xf32>
    }
    graph.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<2x4xf32>
}
