// RUN: dlc-opt %s --graph-skew-loops=arch=sm_90a | filecheck %s

// Parts that end in zeros: the product is one of what stands before them.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%s, %t)
// CHECK:           graph.matmul %{{.*}}, %{{.*}} transpose_rhs : (tensor<1x13xf16>, tensor<13x13xf16>)
// CHECK-NOT:     graph.step_loop
func.func @main(%x: tensor<4x16xf16>, %s: tensor<1x13xf16>, %t: tensor<1x13xf16>) -> (tensor<1x13xf16>, tensor<1x13xf16>, tensor<4x16xf16>) {
  %u = graph.weight @u : tensor<13x13xf16>
  %v = graph.weight @v : tensor<13x13xf16>
  %w = graph.weight @w : tensor<13x13xf16>
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 4 : i64} : (tensor<1x13xf16>) (tensor<4x16xf16>) (tensor<13x13xf16>) -> tensor<1x13xf16>, tensor<4x16xf16> {
  ^bb0(%h: tensor<1x13xf16>, %part: tensor<16xf16>, %m: tensor<13x13xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x13xf16>, tensor<13x13xf16>) -> tensor<1x13xf16>
    %some = graph.slice %part {starts = array<i64: 0>, stops = array<i64: 13>, steps = array<i64: 1>} : tensor<16xf16> -> tensor<13xf16>
    %own = graph.reshape %some {sizes = array<i64: 1, 13>} : tensor<13xf16> -> tensor<1x13xf16>
    %1 = graph.add %0, %own : (tensor<1x13xf16>, tensor<1x13xf16>) -> tensor<1x13xf16>
    %2 = graph.tanh %1 : tensor<1x13xf16> -> tensor<1x13xf16>
    %3 = graph.reshape %2 {sizes = array<i64: 13>} : tensor<1x13xf16> -> tensor<13xf16>
    %4 = graph.pad %3 {mode = "constant", value = 0.000000e+00 : f16, low = array<i64: 0>, high = array<i64: 3>} : tensor<13xf16> -> tensor<16xf16>
    graph.yield %2, %4 : tensor<1x13xf16>, tensor<16xf16>
  }
  %rows = graph.slice %y {starts = array<i64: 0, 0>, stops = array<i64: 4, 13>, steps = array<i64: 1, 1>} : tensor<4x16xf16> -> tensor<4x13xf16>
  %product = graph.matmul %rows, %w transpose_rhs : (tensor<4x13xf16>, tensor<13x13xf16>) -> tensor<4x13xf16>
  %p = graph.pad %product {mode = "constant", value = 0.000000e+00 : f16, low = array<i64: 0, 0>, high = array<i64: 0, 3>} : tensor<4x13xf16> -> tensor<4x16xf16>
  %k, %z = graph.step_loop carry(%t) slice(%p) read(%v) {steps = 4 : i64} : (tensor<1x13xf16>) (tensor<4x16xf16>) (tensor<13x13xf16>) -> tensor<1x13xf16>, tensor<4x16xf16> {
  ^bb0(%h: tensor<1x13xf16>, %part: tensor<16xf16>, %m: tensor<13x13xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x13xf16>, tensor<13x13xf16>) -> tensor<1x13xf16>
    %some = graph.slice %part {starts = array<i64: 0>, stops = array<i64: 13>, steps = array<i64: 1>} : tensor<16xf16> -> tensor<13xf16>
    %own = graph.reshape %some {sizes = array<i64: 1, 13>} : tensor<13xf16> -> tensor<1x13xf16>
    %1 = graph.add %0, %own : (tensor<1x13xf16>, tensor<1x13xf16>) -> tensor<1x13xf16>
    %2 = graph.tanh %1 : tensor<1x13xf16> -> tensor<1x13xf16>
    %3 = graph.reshape %2 {sizes = array<i64: 13>} : tensor<1x13xf16> -> tensor<13xf16>
    %4 = graph.pad %3 {mode = "constant", value = 0.000000e+00 : f16, low = array<i64: 0>, high = array<i64: 3>} : tensor<13xf16> -> tensor<16xf16>
    graph.yield %2, %4 : tensor<1x13xf16>, tensor<16xf16>
  }
  func.return %g, %k, %z : tensor<1x13xf16>, tensor<1x13xf16>, tensor<4x16xf16>
}
