// RUN: dlc-opt %s --graph-split-small | filecheck %s
// RUN: dlc-opt %s --graph-split-small --fuse | filecheck %s --check-prefix FUSED

// Positions are computed of nothing, so each reader has its own, with the views that it reads them by; and what is compared with
// them reads one tensor.
// CHECK-LABEL: @positions
// CHECK-COUNT-3: graph.range
// CHECK-NOT:     graph.range
// CHECK:         func.return
// FUSED-LABEL: @positions
// FUSED-COUNT-2: fused_group.group
// FUSED-NOT:     fused_group.group
// FUSED:         func.return
func.func @positions(%n: tensor<4x1xi64>, %x: tensor<4x8xf32>, %y: tensor<4x8x9xf32>) -> (tensor<4x8xf32>, tensor<4x8x9xf32>) {
  %zero = graph.splat 0.0 : f32 -> tensor<f32>
  %0 = graph.range {start = 0 : i64, step = 1 : i64, size = 8 : i64} -> tensor<8xi64>
  %1 = graph.compare %0, %n {predicate = "lt"} : (tensor<8xi64>, tensor<4x1xi64>) -> tensor<4x8xi1>
  %2 = graph.where %1, %x, %zero : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = graph.reshape %0 {sizes = array<i64: 8, 1>} : tensor<8xi64> -> tensor<8x1xi64>
  %4 = graph.reshape %n {sizes = array<i64: 4, 1, 1>} : tensor<4x1xi64> -> tensor<4x1x1xi64>
  %5 = graph.compare %3, %4 {predicate = "lt"} : (tensor<8x1xi64>, tensor<4x1x1xi64>) -> tensor<4x8x1xi1>
  %6 = graph.where %5, %y, %zero : (tensor<4x8x1xi1>, tensor<4x8x9xf32>, tensor<f32>) -> tensor<4x8x9xf32>
  %7 = graph.compare %3, %4 {predicate = "eq"} : (tensor<8x1xi64>, tensor<4x1x1xi64>) -> tensor<4x8x1xi1>
  %8 = graph.where %7, %y, %6 : (tensor<4x8x1xi1>, tensor<4x8x9xf32>, tensor<4x8x9xf32>) -> tensor<4x8x9xf32>
  func.return %2, %8 : tensor<4x8xf32>, tensor<4x8x9xf32>
}

// As an output they are in memory anyway.
// CHECK-LABEL: @returned
// CHECK:         graph.range
// CHECK-NOT:     graph.range
func.func @returned(%n: tensor<4x1xi64>) -> (tensor<8xi64>, tensor<4x8xi1>) {
  %0 = graph.range {start = 0 : i64, step = 1 : i64, size = 8 : i64} -> tensor<8xi64>
  %1 = graph.compare %0, %n {predicate = "lt"} : (tensor<8xi64>, tensor<4x1xi64>) -> tensor<4x8xi1>
  func.return %0, %1 : tensor<8xi64>, tensor<4x8xi1>
}
