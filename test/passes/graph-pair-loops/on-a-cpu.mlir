// RUN: dlc-opt %s --graph-pair-loops=arch=cpu-avx2 | filecheck %s

// No kernel does all steps.
// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%s)
// CHECK:         graph.step_loop carry(%t)
// CHECK-NOT:     graph.step_loop
func.func @main(%x: tensor<4x1x64xf16>, %s: tensor<1x64xf16>, %t: tensor<1x64xf16>) -> (tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>, tensor<4x1x64xf16>) {
  %u = graph.weight @u : tensor<64x64xf16>
  %v = graph.weight @v : tensor<64x64xf16>
  %g, %y = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 4 : i64} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  %k, %z = graph.step_loop carry(%t) slice(%x) read(%v) {steps = 4 : i64, backward} : (tensor<1x64xf16>) (tensor<4x1x64xf16>) (tensor<64x64xf16>) -> tensor<1x64xf16>, tensor<4x1x64xf16> {
  ^bb0(%h: tensor<1x64xf16>, %part: tensor<1x64xf16>, %m: tensor<64x64xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
    %1 = graph.add %0, %part : (tensor<1x64xf16>, tensor<1x64xf16>) -> tensor<1x64xf16>
    %2 = graph.tanh %1 : tensor<1x64xf16> -> tensor<1x64xf16>
    graph.yield %2, %2 : tensor<1x64xf16>, tensor<1x64xf16>
  }
  func.return %g, %k, %y, %z : tensor<1x64xf16>, tensor<1x64xf16>, tensor<4x1x64xf16>, tensor<4x1x64xf16>
}
