// RUN: dlc-opt %s --fuse=arch=cpu-avx2 | filecheck %s

// The body has its own groups. What is computed before and behind the loop shares none, though one op
// reads the other's result; what only ops behind the loop read is computed with them.
// CHECK-LABEL: @main
// CHECK:         %[[A:.*]] = fused_group.group @{{.*}}(%x)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      fused_group.yield
// CHECK:         %[[L:.*]], %all = graph.step_loop carry(%h) slice(%[[A]]) read()
// CHECK-NEXT:    ^bb0(%s: tensor<8xf32>, %part: tensor<8xf32>):
// CHECK-NEXT:      %[[G:.*]] = fused_group.group @{{.*}}(%s, %part)
// CHECK:             graph.add
// CHECK-NEXT:        graph.tanh
// CHECK:           graph.yield %[[G]], %[[G]]
// CHECK:         fused_group.group @{{.*}}(%h, %[[A]], %[[L]])
// CHECK:           graph.exp
// CHECK:           graph.add
// CHECK:           graph.add
// CHECK-NOT:     fused_group.group
func.func @main(%x: tensor<4x8xf32>, %h: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %early = graph.exp %h : tensor<8xf32> -> tensor<8xf32>
  %a = graph.relu %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %last, %all = graph.step_loop carry(%h) slice(%a) read() {steps = 4 : i64} : (tensor<8xf32>) (tensor<4x8xf32>) () -> tensor<8xf32>, tensor<4x8xf32> {
  ^bb0(%s: tensor<8xf32>, %part: tensor<8xf32>):
    %1 = graph.add %s, %part : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %2 = graph.tanh %1 : tensor<8xf32> -> tensor<8xf32>
    graph.yield %2, %2 : tensor<8xf32>, tensor<8xf32>
  }
  %3 = graph.add %a, %last : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = graph.add %3, %early : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %4, %all : tensor<4x8xf32>, tensor<4x8xf32>
}
