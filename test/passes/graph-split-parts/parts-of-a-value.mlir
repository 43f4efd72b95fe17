// RUN: dlc-opt %s --graph-split-parts | filecheck %s

// A piece of what an op gives is not all of it, and what a loop within gives is its own.
// CHECK-LABEL: @a_piece
func.func @a_piece(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[P:.*]] = graph.slice
  // CHECK-NEXT: %[[C:.*]] = graph.copy %[[P]]
  // CHECK-NEXT: graph.yield %[[C]] :
  %0 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x8xf32>) () -> tensor<2x4xf32> {
  ^bb0(%part: tensor<8xf32>):
    %m = graph.exp %part : tensor<8xf32> -> tensor<8xf32>
    %p = graph.slice %m {starts = array<i64: 0>, stops = array<i64: 4>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<4xf32>
    graph.yield %p : tensor<4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @of_a_loop_within
func.func @of_a_loop_within(%h: tensor<4xf32>, %x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[L:.*]] = graph.step_loop carry(%part)
  // CHECK: %[[C:.*]] = graph.copy %[[L]]
  // CHECK-NEXT: graph.yield %[[C]] :
  %0 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x4xf32>) () -> tensor<2x4xf32> {
  ^bb0(%part: tensor<4xf32>):
    %l = graph.step_loop carry(%part) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
    ^bb0(%s: tensor<4xf32>):
      %n = graph.tanh %s : tensor<4xf32> -> tensor<4xf32>
      graph.yield %n : tensor<4xf32>
    }
    graph.yield %l : tensor<4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
