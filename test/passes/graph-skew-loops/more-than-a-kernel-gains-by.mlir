// RUN: dlc-opt %s --graph-skew-loops=arch=sm_90a | filecheck %s

// One kernel of both layers would take longer: 128 sequences keep the chip busy.

// CHECK: graph.step_loop carry(%s)
// CHECK: graph.step_loop carry(%t)
// CHECK-NOT: graph.where
func.func @main(%x: tensor<20x128x1024xf16>, %s: tensor<128x1024xf16>, %t: tensor<128x1024xf16>) -> (tensor<128x1024xf16>, tensor<128x1024xf16>, tensor<20x128x1024xf16>) {
  %u = graph.weight @u : tensor<1024x1024xf16>
  %v = graph.weight @v : tensor<1024x1024xf16>
  %w = graph.weight @w : tensor<1024x1024xf16>
  %b = graph.weight @b : tensor<1024xf16>
  %ag, %ay = graph.step_loop carry(%s) slice(%x) read(%u) {steps = 20 : i64} : (tensor<128x1024xf16>) (tensor<20x128x1024xf16>) (tensor<1024x1024xf16>) -> tensor<128x1024xf16>, tensor<20x128x1024xf16> {
  ^bb0(%h: tensor<128x1024xf16>, %part: tensor<128x1024xf16>, %m: tensor<1024x1024xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<128x1024xf16>, tensor<1024x1024xf16>) -> tensor<128x1024xf16>
    %1 = graph.add %0, %part : (tensor<128x1024xf16>, tensor<128x1024xf16>) -> tensor<128x1024xf16>
    %2 = graph.tanh %1 : tensor<128x1024xf16> -> tensor<128x1024xf16>
    graph.yield %2, %2 : tensor<128x1024xf16>, tensor<128x1024xf16>
  }
  %rows = graph.reshape %ay {sizes = array<i64: 2560, 1024>} : tensor<20x128x1024xf16> -> tensor<2560x1024xf16>
  %product = graph.matmul %rows, %w transpose_rhs : (tensor<2560x1024xf16>, tensor<1024x1024xf16>) -> tensor<2560x1024xf16>
  %sum = graph.add %product, %b : (tensor<2560x1024xf16>, tensor<1024xf16>) -> tensor<2560x1024xf16>
  %all = graph.reshape %sum {sizes = array<i64: 20, 128, 1024>} : tensor<2560x1024xf16> -> tensor<20x128x1024xf16>
  %kg, %ky = graph.step_loop carry(%t) slice(%all) read(%v) {steps = 20 : i64} : (tensor<128x1024xf16>) (tensor<20x128x1024xf16>) (tensor<1024x1024xf16>) -> tensor<128x1024xf16>, tensor<20x128x1024xf16> {
  ^bb0(%h: tensor<128x1024xf16>, %part: tensor<128x1024xf16>, %m: tensor<1024x1024xf16>):
    %0 = graph.matmul %h, %m transpose_rhs : (tensor<128x1024xf16>, tensor<1024x1024xf16>) -> tensor<128x1024xf16>
    %1 = graph.add %0, %part : (tensor<128x1024xf16>, tensor<128x1024xf16>) -> tensor<128x1024xf16>
    %2 = graph.tanh %1 : tensor<128x1024xf16> -> tensor<128x1024xf16>
    graph.yield %2, %2 : tensor<128x1024xf16>, tensor<128x1024xf16>
  }
  func.return %ag, %kg, %ky : tensor<128x1024xf16>, tensor<128x1024xf16>, tensor<20x128x1024xf16>
}
