// RUN: dlc-opt %s --graph-split-small | filecheck %s

// What is made of positions reads no memory: each reader gets positions of its own, however few it computes.
// CHECK-LABEL: @causal
// CHECK:         %[[I:.*]] = graph.reshape
// CHECK:         graph.range
// CHECK:         graph.range
// CHECK:         graph.range
// CHECK-NEXT:    %[[J:.*]] = graph.reshape
// CHECK-NEXT:    %[[A:.*]] = graph.compare %{{.*}}, %[[J]]
// CHECK-NEXT:    %[[B:.*]] = graph.compare %{{.*}}, %[[I]]
// CHECK-NEXT:    graph.where %[[A]], %x
// CHECK-NEXT:    graph.where %[[B]], %z
func.func @causal(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>, %n: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64} -> tensor<4xi64>
  %1 = graph.reshape %0 {sizes = array<i64: 4, 1>} : tensor<4xi64> -> tensor<4x1xi64>
  %2 = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64} -> tensor<4xi64>
  %3 = graph.compare %2, %1 {predicate = "le"} : (tensor<4xi64>, tensor<4x1xi64>) -> tensor<4x4xi1>
  %4 = graph.where %3, %x, %n : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %5 = graph.where %3, %z, %n : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  func.return %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>
}

// It computes fewer than there are.
// CHECK-LABEL: @fewer
// CHECK:         graph.compare
// CHECK-NOT:     graph.compare
func.func @fewer(%x: tensor<4xf32>, %z: tensor<4x4xf32>, %n: tensor<f32>) -> (tensor<4xi1>, tensor<4x4xf32>) {
  %0 = graph.range {start = 0 : i64, step = 1 : i64, size = 4 : i64} -> tensor<4xi64>
  %1 = graph.reshape %0 {sizes = array<i64: 4, 1>} : tensor<4xi64> -> tensor<4x1xi64>
  %2 = graph.compare %0, %1 {predicate = "le"} : (tensor<4xi64>, tensor<4x1xi64>) -> tensor<4x4xi1>
  %3 = graph.slice %2 {starts = array<i64: 0, 0>, stops = array<i64: 1, 4>, steps = array<i64: 1, 1>} : tensor<4x4xi1> -> tensor<1x4xi1>
  %4 = graph.reshape %3 {sizes = array<i64: 4>} : tensor<1x4xi1> -> tensor<4xi1>
  %5 = graph.where %2, %z, %n : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  func.return %4, %5 : tensor<4xi1>, tensor<4x4xf32>
}
