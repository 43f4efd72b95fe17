// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// A factor of each step, with fewer axes than the product that it is multiplied by.
// CHECK-LABEL: @scale
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %x, %w
// CHECK-NEXT:    %[[F:.*]] = graph.reshape %f {{.*}} -> tensor<20x1x4xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.mul %[[P]], %[[F]]
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%[[S]]) read()
func.func @scale(%h: tensor<2x4xf32>, %x: tensor<20x2x8xf32>, %f: tensor<20x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x, %f) read(%w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x8xf32>, tensor<20x4xf32>) (tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x8xf32>, %c: tensor<4xf32>, %m: tensor<8x4xf32>):
    %1 = graph.matmul %part, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %2 = graph.mul %1, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// Words of each step, looked up in rows of a table that is its own; a constant of the body.
// CHECK-LABEL: @table_of_each_step
// CHECK:         %[[I:.*]] = graph.constant dense<[2, 0]>
// CHECK-NEXT:    %[[G:.*]] = graph.gather %x, %[[I]] {axis = 1 : i64} : {{.*}} -> tensor<20x2x8xf32>
// CHECK-NEXT:    graph.matmul %[[G]], %w
func.func @table_of_each_step(%h: tensor<2x4xf32>, %x: tensor<20x5x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x5x8xf32>) (tensor<8x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<5x8xf32>, %m: tensor<8x4xf32>):
    %i = graph.constant dense<[2, 0]> : tensor<2xi64>
    %1 = graph.gather %part, %i {axis = 0 : i64} : (tensor<5x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    %2 = graph.matmul %1, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %3 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// What a step only gives away would be copied in each step: it stays.
// CHECK-LABEL: @given_away
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%x) read(%w)
func.func @given_away(%h: tensor<2x4xf32>, %x: tensor<20x2x8xf32>, %w: tensor<8x4xf32>) -> tensor<20x2x4xf32> {
  %0, %1 = graph.step_loop carry(%h) slice(%x) read(%w) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x8xf32>) (tensor<8x4xf32>) -> tensor<2x4xf32>, tensor<20x2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x8xf32>, %m: tensor<8x4xf32>):
    %2 = graph.matmul %part, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %3 = graph.tanh %s : tensor<2x4xf32> -> tensor<2x4xf32>
    graph.yield %3, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  func.return %1 : tensor<20x2x4xf32>
}
