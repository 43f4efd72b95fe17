// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// Inputs with their batch first: a step looks its input up along the second axis.
// CHECK-LABEL: @batch_first
// CHECK:         %[[X:.*]] = graph.gather %x, %t {axis = 1 : i64} : (tensor<2x20x8xf32>, tensor<20xi64>) -> tensor<2x20x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = graph.transpose %[[X]] {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT:    graph.matmul %[[Y]], %w
// CHECK:         graph.step_loop carry(%h) slice(%{{[^,]*}}) read()
func.func @batch_first(%h: tensor<2x4xf32>, %t: tensor<20xi64>, %x: tensor<2x20x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%t) read(%x, %w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20xi64>) (tensor<2x20x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %number: tensor<i64>, %all: tensor<2x20x8xf32>, %m: tensor<8x4xf32>):
    %1 = graph.gather %all, %number {axis = 1 : i64} : (tensor<2x20x8xf32>, tensor<i64>) -> tensor<2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// Several columns of a table in each step.
// CHECK-LABEL: @columns
// CHECK:         %[[X:.*]] = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x9xf32>, tensor<20x8xi64>) -> tensor<2x20x8xf32>
// CHECK-NEXT:    graph.transpose %[[X]] {permutation = array<i64: 1, 0, 2>}
func.func @columns(%h: tensor<2x4xf32>, %i: tensor<20x8xi64>, %x: tensor<2x9xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%i) read(%x, %w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x8xi64>) (tensor<2x9xf32>, tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<8xi64>, %t: tensor<2x9xf32>, %m: tensor<8x4xf32>):
    %1 = graph.gather %t, %part {axis = 1 : i64} : (tensor<2x9xf32>, tensor<8xi64>) -> tensor<2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
