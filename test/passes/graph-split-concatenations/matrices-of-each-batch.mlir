// RUN: dlc-opt %s --graph-split-concatenations | filecheck %s

// A matrix for each batch is no weight of rows; and columns of a transposed factor are its rows.
// CHECK-LABEL: @matrices
// CHECK:           graph.concat %s, %a
// CHECK-NEXT:      graph.matmul %{{.*}}, %m
// CHECK-NOT:       graph.matmul
func.func @matrices(%h: tensor<3x2x4xf32>, %x: tensor<5x3x2x4xf32>, %w: tensor<3x8x4xf32>) -> tensor<3x2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w) {steps = 5 : i64} : (tensor<3x2x4xf32>) (tensor<5x3x2x4xf32>) (tensor<3x8x4xf32>) -> tensor<3x2x4xf32> {
  ^bb0(%s: tensor<3x2x4xf32>, %a: tensor<3x2x4xf32>, %m: tensor<3x8x4xf32>):
    %1 = graph.concat %s, %a {axis = 2 : i64} : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<3x2x8xf32>, tensor<3x8x4xf32>) -> tensor<3x2x4xf32>
    graph.yield %2 : tensor<3x2x4xf32>
  }
  func.return %0 : tensor<3x2x4xf32>
}

// CHECK-LABEL: @transposed_lhs
// CHECK:           graph.concat %s, %a
// CHECK-NEXT:      graph.matmul %{{.*}}, %m transpose_lhs
// CHECK-NOT:       graph.matmul
func.func @transposed_lhs(%h: tensor<4x4xf32>, %x: tensor<5x4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w) {steps = 5 : i64} : (tensor<4x4xf32>) (tensor<5x4x4xf32>) (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%s: tensor<4x4xf32>, %a: tensor<4x4xf32>, %m: tensor<4x4xf32>):
    %1 = graph.concat %s, %a {axis = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %2 = graph.matmul %1, %m transpose_lhs : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %3 = graph.slice %2 {starts = array<i64: 0, 0>, stops = array<i64: 4, 4>, steps = array<i64: 1, 1>} : tensor<8x4xf32> -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  func.return %0 : tensor<4x4xf32>
}

// A product of a state as the other factor changes from step to step.
// CHECK-LABEL: @other_factor
// CHECK:           graph.concat %s, %a
// CHECK-NEXT:      graph.matmul %{{.*}}, %t
// CHECK-NOT:       graph.matmul
func.func @other_factor(%h: tensor<4x4xf32>, %k: tensor<8x4xf32>, %x: tensor<5x4x4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %0, %1 = graph.step_loop carry(%h, %k) slice(%x) read() {steps = 5 : i64} : (tensor<4x4xf32>, tensor<8x4xf32>) (tensor<5x4x4xf32>) () -> tensor<4x4xf32>, tensor<8x4xf32> {
  ^bb0(%s: tensor<4x4xf32>, %t: tensor<8x4xf32>, %a: tensor<4x4xf32>):
    %2 = graph.concat %s, %a {axis = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %3 = graph.matmul %2, %t : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    graph.yield %3, %t : tensor<4x4xf32>, tensor<8x4xf32>
  }
  func.return %0, %1 : tensor<4x4xf32>, tensor<8x4xf32>
}
