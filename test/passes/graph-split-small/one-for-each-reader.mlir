// RUN: dlc-opt %s --graph-split-small | filecheck %s
// RUN: dlc-opt %s --graph-split-small --fuse | filecheck %s --check-prefix FUSED

// CHECK-LABEL: @mask
// CHECK:         %[[A:.*]] = graph.compare
// CHECK:         %[[B:.*]] = graph.compare
// CHECK:         graph.where %[[A]], %x, %y
// CHECK-NEXT:    graph.where %[[B]], %y, %x
// FUSED-LABEL: @mask
// FUSED:         fused_group.group @g0
// FUSED:           graph.compare
// FUSED:         fused_group.group @g1
// FUSED:           graph.compare
// FUSED-NOT:     fused_group.group
// FUSED:         func.return
func.func @mask(%n: tensor<8x1xi32>, %x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = graph.splat 0 : i32 -> tensor<i32>
  %0 = graph.compare %zero, %n {predicate = "lt"} : (tensor<i32>, tensor<8x1xi32>) -> tensor<8x1xi1>
  %1 = graph.where %0, %x, %y : (tensor<8x1xi1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = graph.where %0, %y, %x : (tensor<8x1xi1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  func.return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// What has other readers is in memory anyway, whichever view of it they read.
// CHECK-LABEL: @parts
// CHECK-COUNT-4: graph.relu
// CHECK-NOT:     graph.relu
func.func @parts(%s: tensor<2x8xf32>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.exp %s : tensor<2x8xf32> -> tensor<2x8xf32>
  %1 = graph.slice %0 {starts = array<i64: 0, 0>, stops = array<i64: 1, 8>, steps = array<i64: 1, 1>} : tensor<2x8xf32> -> tensor<1x8xf32>
  %2 = graph.slice %0 {starts = array<i64: 1, 0>, stops = array<i64: 2, 8>, steps = array<i64: 1, 1>} : tensor<2x8xf32> -> tensor<1x8xf32>
  %3 = graph.relu %1 : tensor<1x8xf32> -> tensor<1x8xf32>
  %4 = graph.relu %2 : tensor<1x8xf32> -> tensor<1x8xf32>
  %5 = graph.mul %3, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = graph.add %3, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = graph.mul %4, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = graph.add %4, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %5, %6, %7, %8 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
