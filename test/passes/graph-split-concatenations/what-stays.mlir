// RUN: dlc-opt %s --graph-split-concatenations | filecheck %s

// Two states, or two parts, are one product; so are rows beside each other, and what is in no loop.
// CHECK-LABEL: @what_stays
// CHECK:         graph.matmul %{{.*}}, %v
// CHECK-NEXT:    graph.step_loop
// CHECK:           graph.concat %s, %t {axis = 1
// CHECK-NEXT:      graph.matmul
// CHECK:           graph.concat %a, %a {axis = 1
// CHECK-NEXT:      graph.matmul
// CHECK:           graph.concat %s, %a {axis = 0
// CHECK-NEXT:      graph.matmul
// CHECK-NOT:       graph.matmul
func.func @what_stays(%h: tensor<2x4xf32>, %x: tensor<3x2x4xf32>, %w: tensor<8x4xf32>, %v: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>) {
  %c = graph.concat %h, %h {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %d = graph.matmul %c, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0, %1 = graph.step_loop carry(%h, %h) slice(%x) read(%w, %v) {steps = 3 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) (tensor<3x2x4xf32>) (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>, tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %t: tensor<2x4xf32>, %a: tensor<2x4xf32>, %m: tensor<8x4xf32>, %n: tensor<4x4xf32>):
    %2 = graph.concat %s, %t {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    %3 = graph.matmul %2, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %4 = graph.concat %a, %a {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
    %5 = graph.matmul %4, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %6 = graph.add %3, %5 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = graph.concat %s, %a {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
    %8 = graph.matmul %7, %n : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %9 = graph.slice %8 {starts = array<i64: 0, 0>, stops = array<i64: 2, 4>, steps = array<i64: 1, 1>} : tensor<4x4xf32> -> tensor<2x4xf32>
    graph.yield %6, %9 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  func.return %d, %0 : tensor<4x4xf32>, tensor<2x4xf32>
}
