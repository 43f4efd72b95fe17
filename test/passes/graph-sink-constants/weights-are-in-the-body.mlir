// RUN: dlc-opt %s --graph-sink-constants | filecheck %s

// CHECK-LABEL: @main
// CHECK:         graph.step_loop carry(%a) slice(%x) read(%b) {steps = 3 : i64}
// CHECK-NEXT:    ^bb0(%h: tensor<2x4xf32>, %part: tensor<2x4xf32>, %c: tensor<4xf32>):
// CHECK-NEXT:      %[[S:.*]] = graph.splat
// CHECK-NEXT:      %[[W:.*]] = graph.weight @w
// CHECK-NEXT:      %[[P:.*]] = graph.matmul %h, %[[W]]
// CHECK-NEXT:      graph.mul %[[P]], %[[S]]
func.func @main(%a: tensor<2x4xf32>, %x: tensor<3x2x4xf32>, %b: tensor<4xf32>) -> (tensor<2x4xf32>) {
  %w = graph.weight @w : tensor<4x4xf32>
  %s = graph.splat 2.0 : f32 -> tensor<1xf32>
  %0 = graph.step_loop carry(%a) slice(%x) read(%w, %b, %s) {steps = 3 : i64} : (tensor<2x4xf32>) (tensor<3x2x4xf32>) (tensor<4x4xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>, %part: tensor<2x4xf32>, %m: tensor<4x4xf32>, %c: tensor<4xf32>, %t: tensor<1xf32>):
    %1 = graph.matmul %h, %m : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = graph.mul %1, %t : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
    %3 = graph.add %2, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = graph.add %3, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    graph.yield %4 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}

// Through two loops.
// CHECK-LABEL: @nested
// CHECK:         graph.step_loop carry(%a) slice() read()
// CHECK:           graph.step_loop carry(%{{.*}}) slice() read()
// CHECK-NEXT:      ^bb0(%{{.*}}: tensor<2x4xf32>):
// CHECK-NEXT:        graph.weight @w
func.func @nested(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = graph.weight @w : tensor<4x4xf32>
  %0 = graph.step_loop carry(%a) slice() read(%w) {steps = 3 : i64} : (tensor<2x4xf32>) () (tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>, %m: tensor<4x4xf32>):
    %1 = graph.step_loop carry(%h) slice() read(%m) {steps = 2 : i64} : (tensor<2x4xf32>) () (tensor<4x4xf32>) -> tensor<2x4xf32> {
    ^bb0(%g: tensor<2x4xf32>, %n: tensor<4x4xf32>):
      %2 = graph.matmul %g, %n : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      graph.yield %2 : tensor<2x4xf32>
    }
    graph.yield %1 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
