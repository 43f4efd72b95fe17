// RUN: dlc-opt %s --graph-skew-loops=arch=sm_90a | filecheck %s

// The second loop is a step behind: what it gives in the first step is cut off, and the first loop
// has a part more to read in the last one. The product is one of each step, of the state before it.
// CHECK-LABEL: @main
// CHECK:         %[[TURNS:.*]] = graph.weight @{{.*}} : tensor<5x4xi32>
// CHECK:         %[[X:.*]] = graph.pad %x {{.*}}low = array<i64: 0, 0, 0>, high = array<i64: 1, 0, 0>
// CHECK:         %[[G:.*]], %[[H:.*]], %[[ALL:.*]] = graph.step_loop carry(%s, %t) slice(%[[X]], %[[TURNS]]) read(%u, %v, %w, %b) {steps = 5 : i64}
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<1x64xf16>, %[[C:.*]]: tensor<1x64xf16>, %{{.*}}: tensor<1x64xf16>, %[[TURN:.*]]: tensor<4xi32>,
// CHECK:           graph.matmul %[[A]],
// CHECK:           %[[NEW:.*]] = graph.tanh
// CHECK:           %[[P:.*]] = graph.matmul %[[A]],
// CHECK:           graph.add %[[P]],
// CHECK:           graph.matmul %[[C]],
// CHECK:           %[[NEXT:.*]] = graph.tanh
// CHECK:           %[[FIRST:.*]] = graph.where %{{.*}}, %[[NEW]], %[[A]]
// CHECK:           %[[SECOND:.*]] = graph.where %{{.*}}, %[[NEXT]], %[[C]]
// CHECK:           graph.yield %[[FIRST]], %[[SECOND]], %[[SECOND]]
// CHECK:         %[[Z:.*]] = graph.slice %[[ALL]] {starts = array<i64: 1, 0, 0>, stops = array<i64: 5, 1, 64>
// CHECK-NOT:     graph.step_loop
// CHECK:         func.return %[[G]], %[[H]], %[[Z]]
func.func @main(%x: tensor<4x1x64xf16>, %s: tensor<1x64xf16>, %t: tensor<1x64xf16>) -> (tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>) {
  %u = graph.weight @u : tensor<64x64xf16>
  %v = graph.weight @v : tensor<64x64xf16>
  %w = graph.weight @w : tensor<64x64xf16>
  %b = graph.weight @b : tensor<64xf16>
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 4 : i64} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  %rows = graph.reshape %y {sizes = array<i64: 4, 64>} : tensor<4x1x64xf16> -> tensor<4x64xf16>
  %product = graph.matmul %rows, %w transpose_rhs : (tensor<4x64xf16>, tensor<64x64xf16>) -> tensor<4x64xf16>
  %sum = graph.add %product, %b : (tensor<4x64xf16>, tensor<64xf16>) -> tensor<4x64xf16>
  %p = graph.reshape %sum {sizes = array<i64: 4, 1, 64>} : tensor<4x64xf16> -> tensor<4x1x64xf16>
  %k, %z = graph.step_loop carry(%t) slice(%p) read(%v) {steps = 4 : i64} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %g, %k, %z : tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>
}
