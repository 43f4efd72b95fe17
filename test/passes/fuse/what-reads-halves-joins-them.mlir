// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// The halves could stand beside each other with no kernel for that, and joining them alone saves
// nothing. What reads them joins them, and all is one kernel.

// CHECK-LABEL: func.func @main
// CHECK: fused_group.group @g0
// CHECK: graph.sub
// CHECK: graph.add
// CHECK: graph.concat
// CHECK-NEXT: graph.cast
// CHECK-NOT: fused_group.group
func.func @main(%x: tensor<512x64xf32>, %c: tensor<512x32xf16>, %s: tensor<512x32xf16>) -> tensor<512x64xf32> {
  %0 = graph.cast %x {to = f16} : tensor<512x64xf32> -> tensor<512x64xf16>
  %1 = graph.slice %0 {starts = array<i64: 0, 0>, stops = array<i64: 512, 32>, steps = array<i64: 1, 1>} : tensor<512x64xf16> -> tensor<512x32xf16>
  %2 = graph.slice %0 {starts = array<i64: 0, 32>, stops = array<i64: 512, 64>, steps = array<i64: 1, 1>} : tensor<512x64xf16> -> tensor<512x32xf16>
  %3 = graph.mul %1, %c : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %4 = graph.mul %2, %s : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %5 = graph.sub %3, %4 : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %6 = graph.mul %1, %s : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %7 = graph.mul %2, %c : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %8 = graph.add %6, %7 : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x32xf16>
  %9 = graph.concat %5, %8 {axis = 1 : i64} : (tensor<512x32xf16>, tensor<512x32xf16>) -> tensor<512x64xf16>
  %10 = graph.cast %9 {to = f32} : tensor<512x64xf16> -> tensor<512x64xf32>
  func.return %10 : tensor<512x64xf32>
}
