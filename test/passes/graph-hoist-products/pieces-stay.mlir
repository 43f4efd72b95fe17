// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// One product of all steps goes, with the sum behind it; its halves are taken in each step.
// CHECK-LABEL: @main
// CHECK:         %[[P:.*]] = graph.matmul
// CHECK:         %[[Q:.*]] = graph.add
// CHECK:         graph.step_loop carry(%h) slice(%{{[^,]*}}) read()
// CHECK:           graph.slice %{{.*}} {starts = array<i64: 0, 0>, stops = array<i64: 2, 4>
// CHECK:           graph.slice %{{.*}} {starts = array<i64: 0, 4>, stops = array<i64: 2, 8>
// CHECK:           graph.mul
func.func @main(%h: tensor<2x4xf32>, %x: tensor<20x2x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w, %b) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x4xf32>) (tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x4xf32>, %m: tensor<4x8xf32>, %n: tensor<8xf32>):
    %1 = graph.matmul %part, %m : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    %2 = graph.add %1, %n : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    %3 = graph.slice %2 {starts = array<i64: 0, 0>, stops = array<i64: 2, 4>, steps = array<i64: 1, 1>} : tensor<2x8xf32> -> tensor<2x4xf32>
    %4 = graph.slice %2 {starts = array<i64: 0, 4>, stops = array<i64: 2, 8>, steps = array<i64: 1, 1>} : tensor<2x8xf32> -> tensor<2x4xf32>
    %5 = graph.mul %3, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = graph.add %5, %4 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %6 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
