// RUN: dlc-opt %s --graph-split-concatenations | filecheck %s

// The state first, and a weight whose columns are the reduction.
// CHECK-LABEL: @transposed
// CHECK-DAG:       graph.slice %m {starts = array<i64: 0, 0>, stops = array<i64: 8, 8>
// CHECK-DAG:       graph.slice %m {starts = array<i64: 0, 8>, stops = array<i64: 8, 12>
// CHECK-DAG:       graph.matmul %s, %{{.*}} transpose_rhs
// CHECK-DAG:       graph.matmul %a, %{{.*}} transpose_rhs
func.func @transposed(%h: tensor<2x8xf32>, %x: tensor<3x2x4xf32>, %w: tensor<8x12xf32>) -> tensor<2x8xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%w) {steps = 3 : i64} : (tensor<2x8xf32>) (tensor<3x2x4xf32>) (tensor<8x12xf32>) -> tensor<2x8xf32> {
  ^bb0(%s: tensor<2x8xf32>, %a: tensor<2x4xf32>, %m: tensor<8x12xf32>):
    %1 = graph.concat %s, %a {axis = 1 : i64} : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
    %2 = graph.matmul %1, %m transpose_rhs : (tensor<2x12xf32>, tensor<8x12xf32>) -> tensor<2x8xf32>
    graph.yield %2 : tensor<2x8xf32>
  }
  func.return %0 : tensor<2x8xf32>
}
