// RUN: dlc-opt %s --tile=arch=cpu-avx2 --lower-to-loop --fused-group-unroll-steps | filecheck %s

// All steps launch the kernel of the group; weights stand there once.
// CHECK:         loop.kernel @g7
// CHECK-NOT:     loop.kernel
// CHECK-LABEL: func.func @main
// CHECK-NOT:     graph.step_loop
// CHECK:         %[[W:.*]] = graph.weight @w
// CHECK:         %[[H0:.*]] = fused_group.launch @g7(%h, %{{.*}}, %[[W]]) of "g7_step0"
// CHECK-NOT:     graph.weight
// CHECK:         %[[H1:.*]] = fused_group.launch @g7(%[[H0]], %{{.*}}, %[[W]]) of "g7_step1"
// CHECK:         %[[R0:.*]] = graph.reshape %[[H0]]
// CHECK-NEXT:    %[[R1:.*]] = graph.reshape %[[H1]]
// CHECK-NEXT:    %[[Y:.*]] = graph.concat %[[R0]], %[[R1]] {axis = 0 : i64}
// CHECK-NEXT:    func.return %[[H1]], %[[Y]]
func.func @main(%h: tensor<4xf32>, %x: tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %0, %1 = graph.step_loop carry(%h) slice(%x) read() {steps = 2 : i64} : (tensor<4xf32>) (tensor<2x4xf32>) () -> tensor<4xf32>, tensor<2x4xf32> {
  ^bb0(%s: tensor<4xf32>, %part: tensor<4xf32>):
    %w = graph.weight @w : tensor<4xf32>
    %2 = fused_group.group @g7(%s, %part, %w) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
      %3 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %4 = graph.mul %3, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      fused_group.yield %4 : tensor<4xf32>
    }
    graph.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %0, %1 : tensor<4xf32>, tensor<2x4xf32>
}
