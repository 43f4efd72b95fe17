// RUN: dlc-opt %s --graph-skew-loops=arch=sm_90a | filecheck %s

// The vector is added to the product of each step.

// CHECK: graph.step_loop carry(%s, %t)
// CHECK: ^bb0({{.*}}, %[[F:[a-z0-9]+]]: tensor<64x64xf16>, %[[V:[a-z0-9]+]]: tensor<64xf16>):
// CHECK: graph.add %{{.*}}, %[[V]] : (tensor<1x64xf16>, tensor<64xf16>
func.func @main(%x: tensor<4x1x64xf16>, %s: tensor<1x64xf16>, %t: tensor<1x64xf16>) -> (tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>) {
  %u = graph.weight @u : tensor<64x64xf16>
  %v = graph.weight @v : tensor<64x64xf16>
  %w = graph.weight @w : tensor<64x64xf16>
  %b = graph.weight @b : tensor<64xf16>
  %ag, %ay = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 4 : i64} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  %rows = graph.reshape %ay {sizes = array<i64: 4, 64>} : tensor<4x1x64xf16> -> tensor<4x64xf16>
  %product = graph.matmul %rows, %w transpose_rhs : (tensor<4x64xf16>, tensor<64x64xf16>) -> tensor<4x64xf16>
  %sum = graph.add %product, %b : (tensor<4x64xf16>, tensor<64xf16>) -> tensor<4x64xf16>
  %all = graph.reshape %sum {sizes = array<i64: 4, 1, 64>} : tensor<4x64xf16> -> tensor<4x1x64xf16>
  %kg, %ky = graph.step_loop carry(%t) slice(%all) read(%v) {steps = 4 : i64} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %ag, %kg, %ky : tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>
}
