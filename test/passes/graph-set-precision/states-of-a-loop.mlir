// RUN: dlc-opt %s --graph-set-precision=precision=fp16 | filecheck %s

// The body has the types that the loop reads, and its states keep theirs.
// CHECK-LABEL: @main
// CHECK:         %[[A:.*]] = graph.cast %a {to = f16}
// CHECK:         graph.step_loop carry(%[[A]], %n) slice({{.*}}) read() {{.*}} : (tensor<2x4xf16>, tensor<2xi32>) (tensor<3x2x4xf16>) () -> tensor<2x4xf16>, tensor<2xi32>, tensor<3x2x4xf16> {
// CHECK-NEXT:    ^bb0(%h: tensor<2x4xf16>, %i: tensor<2xi32>, %part: tensor<2x4xf16>):
// CHECK-NEXT:      graph.splat {{.*}} : f16 -> tensor<4x4xf16>
// CHECK-NEXT:      graph.matmul {{.*}} -> tensor<2x4xf16>
// CHECK-NEXT:      graph.add {{.*}} -> tensor<2x4xf16>
// CHECK:           graph.yield {{.*}} : tensor<2x4xf16>, tensor<2xi32>, tensor<2x4xf16>
// CHECK:         func.return {{.*}} : tensor<2x4xf32>, tensor<3x2x4xf32>
func.func @main(%a: tensor<2x4xf32>, %n: tensor<2xi32>, %x: tensor<3x2x4xf32>) -> (tensor<2x4xf32>, tensor<3x2x4xf32>) {
  %0, %1, %2 = graph.step_loop carry(%a, %n) slice(%x) read() {steps = 3 : i64} : (tensor<2x4xf32>, tensor<2xi32>) (tensor<3x2x4xf32>) () -> tensor<2x4xf32>, tensor<2xi32>, tensor<3x2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>, %i: tensor<2xi32>, %part: tensor<2x4xf32>):
    %w = graph.splat 0.5 : f32 -> tensor<4x4xf32>
    %3 = graph.matmul %h, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %4 = graph.add %3, %part : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = graph.add %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    graph.yield %4, %5, %4 : tensor<2x4xf32>, tensor<2xi32>, tensor<2x4xf32>
  }
  func.return %0, %2 : tensor<2x4xf32>, tensor<3x2x4xf32>
}

// A state that is computed wide is rounded at the end of a step.
// CHECK-LABEL: @wide
// CHECK:         %[[S:.*]] = graph.exp {{.*}} : tensor<4xf32> -> tensor<4xf32>
// CHECK:         %[[C:.*]] = graph.cast %[[S]] {to = f16}
// CHECK-NEXT:    graph.yield %[[C]] : tensor<4xf16>
func.func @wide(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.step_loop carry(%a) slice() read() {steps = 3 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>):
    %1 = graph.widen %h : tensor<4xf32> -> tensor<4xf32>
    %2 = graph.exp %1 : tensor<4xf32> -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
