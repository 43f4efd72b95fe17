// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// What keys are made of is a kernel of its own, and attention one: new keys behind the past ones, which are outputs too, and elements
// turned by the place of their token.

// CHECK-LABEL: @past
// CHECK-COUNT-2: strategy = "map"
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @past(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %pk: tensor<2x4x128x64xf16>, %pv: tensor<2x4x128x64xf16>) -> (tensor<2x4x128x64xf16>, tensor<2x4x256x64xf16>, tensor<2x4x256x64xf16>) {
  %0 = graph.concat %pk, %k {axis = 2 : i64} : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x256x64xf16>
  %1 = graph.concat %pv, %v {axis = 2 : i64} : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x256x64xf16>
  %2 = graph.matmul %q, %0 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x256x64xf16>) -> tensor<2x4x128x256xf16>
  %3 = graph.splat 0.125 : f16 -> tensor<f16>
  %4 = graph.mul %2, %3 : (tensor<2x4x128x256xf16>, tensor<f16>) -> tensor<2x4x128x256xf16>
  %5 = graph.softmax %4 axis 3 : tensor<2x4x128x256xf16> -> tensor<2x4x128x256xf16>
  %6 = graph.matmul %5, %1 : (tensor<2x4x128x256xf16>, tensor<2x4x256x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %6, %0, %1 : tensor<2x4x128x64xf16>, tensor<2x4x256x64xf16>, tensor<2x4x256x64xf16>
}

// CHECK-LABEL: @rotary
// CHECK-COUNT-2: strategy = "map"
// CHECK:         strategy = "attention"
// CHECK-NOT:     fused_group.group
// CHECK:         func.return
func.func @rotary(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %cos: tensor<128x64xf16>, %sin: tensor<128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.slice %q {starts = array<i64: 0, 0, 0, 0>, stops = array<i64: 2, 4, 128, 32>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x4x128x64xf16> -> tensor<2x4x128x32xf16>
  %1 = graph.slice %q {starts = array<i64: 0, 0, 0, 32>, stops = array<i64: 2, 4, 128, 64>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x4x128x64xf16> -> tensor<2x4x128x32xf16>
  %2 = graph.neg %1 : tensor<2x4x128x32xf16> -> tensor<2x4x128x32xf16>
  %3 = graph.concat %2, %0 {axis = 3 : i64} : (tensor<2x4x128x32xf16>, tensor<2x4x128x32xf16>) -> tensor<2x4x128x64xf16>
  %4 = graph.mul %q, %cos : (tensor<2x4x128x64xf16>, tensor<128x64xf16>) -> tensor<2x4x128x64xf16>
  %5 = graph.mul %3, %sin : (tensor<2x4x128x64xf16>, tensor<128x64xf16>) -> tensor<2x4x128x64xf16>
  %6 = graph.add %4, %5 : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %7 = graph.slice %k {starts = array<i64: 0, 0, 0, 0>, stops = array<i64: 2, 4, 128, 32>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x4x128x64xf16> -> tensor<2x4x128x32xf16>
  %8 = graph.slice %k {starts = array<i64: 0, 0, 0, 32>, stops = array<i64: 2, 4, 128, 64>, steps = array<i64: 1, 1, 1, 1>} : tensor<2x4x128x64xf16> -> tensor<2x4x128x32xf16>
  %9 = graph.neg %8 : tensor<2x4x128x32xf16> -> tensor<2x4x128x32xf16>
  %10 = graph.concat %9, %7 {axis = 3 : i64} : (tensor<2x4x128x32xf16>, tensor<2x4x128x32xf16>) -> tensor<2x4x128x64xf16>
  %11 = graph.mul %k, %cos : (tensor<2x4x128x64xf16>, tensor<128x64xf16>) -> tensor<2x4x128x64xf16>
  %12 = graph.mul %10, %sin : (tensor<2x4x128x64xf16>, tensor<128x64xf16>) -> tensor<2x4x128x64xf16>
  %13 = graph.add %11, %12 : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  %14 = graph.matmul %6, %13 transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %15 = graph.splat 0.125 : f16 -> tensor<f16>
  %16 = graph.mul %14, %15 : (tensor<2x4x128x128xf16>, tensor<f16>) -> tensor<2x4x128x128xf16>
  %17 = graph.softmax %16 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %18 = graph.matmul %17, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %18 : tensor<2x4x128x64xf16>
}
