// RUN: dlc-opt %s --fuse | filecheck %s
// RUN: dlc-opt %s --fuse --convert-fused-group-to-loop | filecheck %s --check-prefix=KERNELS

// Rows that are consecutive in memory are a part of the buffer, so both halves are read by one kernel.
// Columns are not consecutive, and the second row of 3 elements does not begin at a multiple of 16 bytes:
// they are read inside of the kernels, two different ones each.

// CHECK-LABEL: func.func @rows
// CHECK:         %[[LOW:.*]] = graph.slice %x {starts = array<i64: 0, 0>
// CHECK:         fused_group.group @g0(%[[LOW]]) : (tensor<2x4xf32>)
// CHECK:         %[[HIGH:.*]] = graph.slice %x {starts = array<i64: 2, 0>
// CHECK:         fused_group.group @g1(%[[HIGH]]) : (tensor<2x4xf32>)
// CHECK-LABEL: func.func @columns
// CHECK:         fused_group.group @g2(%x) : (tensor<4x8xf32>)
// CHECK:         fused_group.group @g3(%x) : (tensor<4x8xf32>)
// CHECK-LABEL: func.func @odd
// CHECK:         fused_group.group @g4(%{{.*}}) : (tensor<1x3xf32>)
// CHECK:         fused_group.group @g5(%x) : (tensor<2x3xf32>)
// CHECK-LABEL: func.func @backwards
// CHECK:         fused_group.group @g6(%x) : (tensor<4x4xf32>)

// KERNELS:     loop.kernel @g0
// KERNELS-NOT: loop.kernel @g1
// KERNELS:     loop.kernel @g2
// KERNELS:     loop.kernel @g3
func.func @rows(%x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.slice %x {starts = array<i64: 0, 0>, stops = array<i64: 2, 4>, steps = array<i64: 1, 1>} : tensor<4x4xf32> -> tensor<2x4xf32>
  %1 = graph.slice %x {starts = array<i64: 2, 0>, stops = array<i64: 4, 4>, steps = array<i64: 1, 1>} : tensor<4x4xf32> -> tensor<2x4xf32>
  %2 = graph.relu %0 : tensor<2x4xf32> -> tensor<2x4xf32>
  %3 = graph.relu %1 : tensor<2x4xf32> -> tensor<2x4xf32>
  func.return %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}
func.func @columns(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.slice %x {starts = array<i64: 0, 0>, stops = array<i64: 4, 4>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<4x4xf32>
  %1 = graph.slice %x {starts = array<i64: 0, 4>, stops = array<i64: 4, 8>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<4x4xf32>
  %2 = graph.relu %0 : tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = graph.relu %1 : tensor<4x4xf32> -> tensor<4x4xf32>
  func.return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @odd(%x: tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %0 = graph.slice %x {starts = array<i64: 0, 0>, stops = array<i64: 1, 3>, steps = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<1x3xf32>
  %1 = graph.slice %x {starts = array<i64: 1, 0>, stops = array<i64: 2, 3>, steps = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<1x3xf32>
  %2 = graph.relu %0 : tensor<1x3xf32> -> tensor<1x3xf32>
  %3 = graph.relu %1 : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %2, %3 : tensor<1x3xf32>, tensor<1x3xf32>
}
func.func @backwards(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.slice %x {starts = array<i64: 3, 0>, stops = array<i64: -5, 4>, steps = array<i64: -1, 1>} : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = graph.relu %0 : tensor<4x4xf32> -> tensor<4x4xf32>
  func.return %1 : tensor<4x4xf32>
}
