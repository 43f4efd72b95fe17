// RUN: dlc-opt %s --graph-split-parts | filecheck %s

// CHECK-LABEL: @the_state_before
func.func @the_state_before(%h: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: ^bb0(%[[S:.*]]: tensor<4xf32>):
  // CHECK-NEXT: %[[N:.*]] = graph.tanh %[[S]]
  // CHECK-NEXT: %[[C:.*]] = graph.copy %[[S]]
  // CHECK-NEXT: graph.yield %[[N]], %[[C]] :
  %0, %1 = graph.step_loop carry(%h) slice() read() {steps = 2 : i64} : (tensor<4xf32>) () () -> tensor<4xf32>, tensor<2x4xf32> {
  ^bb0(%s: tensor<4xf32>):
    %n = graph.tanh %s : tensor<4xf32> -> tensor<4xf32>
    graph.yield %n, %s : tensor<4xf32>, tensor<4xf32>
  }
  func.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @given_twice
func.func @given_twice(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x2x2xf32>) {
  // CHECK: %[[N:.*]] = graph.tanh
  // CHECK-NEXT: %[[R:.*]] = graph.reshape %[[N]]
  // CHECK-NEXT: %[[C:.*]] = graph.copy %[[R]]
  // CHECK-NEXT: graph.yield %[[N]], %[[C]] :
  %0, %1 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x4xf32>) () -> tensor<2x4xf32>, tensor<2x2x2xf32> {
  ^bb0(%part: tensor<4xf32>):
    %n = graph.tanh %part : tensor<4xf32> -> tensor<4xf32>
    %r = graph.reshape %n {sizes = array<i64: 2, 2>} : tensor<4xf32> -> tensor<2x2xf32>
    graph.yield %n, %r : tensor<4xf32>, tensor<2x2xf32>
  }
  func.return %0, %1 : tensor<2x4xf32>, tensor<2x2x2xf32>
}

// CHECK-LABEL: @a_piece_a_concatenation_and_a_constant
func.func @a_piece_a_concatenation_and_a_constant(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x16xf32>, tensor<2x8xf32>, tensor<2x4xf32>) {
  // CHECK: %[[N:.*]] = graph.tanh
  // CHECK: %[[P:.*]] = graph.slice
  // CHECK: %[[B:.*]] = graph.concat
  // CHECK: %[[K:.*]] = graph.splat
  // CHECK-NEXT: %[[CP:.*]] = graph.copy %[[P]]
  // CHECK-NEXT: %[[CB:.*]] = graph.copy %[[B]]
  // CHECK-NEXT: %[[CN:.*]] = graph.copy %[[N]]
  // CHECK-NEXT: %[[CK:.*]] = graph.copy %[[K]]
  // CHECK-NEXT: graph.yield %[[CP]], %[[CB]], %[[CN]], %[[CK]] :
  %0, %1, %2, %3 = graph.step_loop carry() slice(%x) read() {steps = 2 : i64} : () (tensor<2x8xf32>) () -> tensor<2x4xf32>, tensor<2x16xf32>, tensor<2x8xf32>, tensor<2x4xf32> {
  ^bb0(%part: tensor<8xf32>):
    %n = graph.tanh %part : tensor<8xf32> -> tensor<8xf32>
    %m = graph.exp %part : tensor<8xf32> -> tensor<8xf32>
    %p = graph.slice %m {starts = array<i64: 0>, stops = array<i64: 4>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<4xf32>
    %b = graph.concat %n, %m {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    %k = graph.splat 1.0 : f32 -> tensor<4xf32>
    graph.yield %p, %b, %n, %k : tensor<4xf32>, tensor<16xf32>, tensor<8xf32>, tensor<4xf32>
  }
  func.return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x16xf32>, tensor<2x8xf32>, tensor<2x4xf32>
}
