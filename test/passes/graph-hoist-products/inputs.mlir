// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// The product of a part, and the bias that is added to it, are computed for all steps.
// CHECK-LABEL: @parts
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %x, %w : (tensor<20x2x8xf32>, tensor<8x4xf32>)
// CHECK-NEXT:    %[[B:.*]] = graph.add %[[P]], %b
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%[[B]]) read(%u)
// CHECK-NEXT:    ^bb0(%[[S:.*]]: tensor<2x4xf32>, %[[X:.*]]: tensor<2x4xf32>, %[[U:.*]]: tensor<4x4xf32>):
// CHECK-NEXT:      %[[R:.*]] = graph.matmul %[[S]], %[[U]]
// CHECK-NEXT:      %[[A:.*]] = graph.add %[[X]], %[[R]]
// CHECK-NEXT:      graph.yield %[[A]]
func.func @parts(%h: tensor<2x4xf32>, %x: tensor<20x2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w, %b, %u) {steps = 20 : i64} : (tensor<2x4xf32>) (tensor<20x2x8xf32>) (tensor<8x4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %part: tensor<2x8xf32>, %m: tensor<8x4xf32>, %c: tensor<4xf32>, %n: tensor<4x4xf32>):
    %1 = graph.matmul %part, %m : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %2 = graph.add %1, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %3 = graph.matmul %s, %n : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %4 = graph.add %2, %3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %4 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// A scripted loop looks its input up by the number of the step. The rows of a step are flat and
// end in zeros where they are no multiple of 16 bytes.
// CHECK-LABEL: @looked_up
// CHECK:         %[[I:.*]] = graph.slice {{.*}} stops = array<i64: 20, 1>
// CHECK-NEXT:    %[[N:.*]] = graph.reshape %[[I]] {{.*}} -> tensor<20xi64>
// CHECK-NEXT:    %[[G:.*]] = graph.gather %x, %[[N]] {axis = 0 : i64} : {{.*}} -> tensor<20x2x8xf32>
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %[[G]] {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %w, %[[T]] : (tensor<3x8xf32>, tensor<20x8x2xf32>) -> tensor<20x3x2xf32>
// CHECK-NEXT:    %[[F:.*]] = graph.reshape %[[P]] {{.*}} -> tensor<20x6xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.pad %[[F]] {{.*}} -> tensor<20x8xf32>
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%[[R]]) read()
func.func @looked_up(%h: tensor<3x2xf32>, %x: tensor<30x2x8xf32>, %w: tensor<3x8xf32>, %places: tensor<20x2xi64>) -> tensor<3x2xf32> {
  %0 = graph.step_loop carry(%h) slice(%places) read(%w, %x) {steps = 20 : i64, backward} : (tensor<3x2xf32>) (tensor<20x2xi64>) (tensor<3x8xf32>, tensor<30x2x8xf32>) -> tensor<3x2xf32> {
  ^bb0(%s: tensor<3x2xf32>, %part: tensor<2xi64>, %m: tensor<3x8xf32>, %t: tensor<30x2x8xf32>):
    %1 = graph.slice %part {starts = array<i64: 0>, stops = array<i64: 1>, steps = array<i64: 1>} : tensor<2xi64> -> tensor<1xi64>
    %2 = graph.reshape %1 {sizes = array<i64>} : tensor<1xi64> -> tensor<i64>
    %3 = graph.gather %t, %2 {axis = 0 : i64} : (tensor<30x2x8xf32>, tensor<i64>) -> tensor<2x8xf32>
    %4 = graph.transpose %3 {permutation = array<i64: 1, 0>} : tensor<2x8xf32> -> tensor<8x2xf32>
    %5 = graph.matmul %m, %4 : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
    %6 = graph.add %5, %s : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %7 = graph.tanh %6 : tensor<3x2xf32> -> tensor<3x2xf32>
    graph.yield %7 : tensor<3x2xf32>
  }
  func.return %0 : tensor<3x2xf32>
}
