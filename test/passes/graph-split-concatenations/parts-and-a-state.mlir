// RUN: dlc-opt %s --graph-split-concatenations | filecheck %s

// Two parts before the state stay together; each of the factors has its rows of the weight.
// CHECK-LABEL: @main
// CHECK:         ^bb0(%s: tensor<2x8xf32>, %a: tensor<2x4xf32>, %b: tensor<2x1xf32>, %m: tensor<13x8xf32>):
// CHECK-DAG:       %[[C:.*]] = graph.concat %a, %b {axis = 1 : i64}
// CHECK-DAG:       %[[U:.*]] = graph.slice %m {starts = array<i64: 0, 0>, stops = array<i64: 5, 8>
// CHECK-DAG:       %[[V:.*]] = graph.slice %m {starts = array<i64: 5, 0>, stops = array<i64: 13, 8>
// CHECK-DAG:       %[[P:.*]] = graph.matmul %[[C]], %[[U]]
// CHECK-DAG:       %[[Q:.*]] = graph.matmul %s, %[[V]]
// CHECK:           %[[N:.*]] = graph.add %[[P]], %[[Q]]
// CHECK-NEXT:      graph.yield %[[N]]
func.func @main(%h: tensor<2x8xf32>, %x: tensor<3x2x4xf32>, %y: tensor<3x2x1xf32>, %w: tensor<13x8xf32>) -> tensor<2x8xf32> {
  %0 = graph.step_loop carry(%h) slice(%x, %y) read(%w) {steps = 3 : i64} : (tensor<2x8xf32>) (tensor<3x2x4xf32>, tensor<3x2x1xf32>) (tensor<13x8xf32>) -> tensor<2x8xf32> {
  ^bb0(%s: tensor<2x8xf32>, %a: tensor<2x4xf32>, %b: tensor<2x1xf32>, %m: tensor<13x8xf32>):
    %1 = graph.concat %a, %b, %s {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x8xf32>) -> tensor<2x13xf32>
    %2 = graph.matmul %1, %m : (tensor<2x13xf32>, tensor<13x8xf32>) -> tensor<2x8xf32>
    graph.yield %2 : tensor<2x8xf32>
  }
  func.return %0 : tensor<2x8xf32>
}
