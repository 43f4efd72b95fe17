// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>, %c: tensor<3x1xf32>, %d: tensor<2x3xf32>, %e: tensor<2x3xi1>, %f: tensor<4x5xf32>) {
  // CHECK-NEXT: %0 = graph.reshape %a {sizes = array<i64: 6, 4>} : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = graph.reshape %a {sizes = array<i64: 6, 4>} : tensor<2x3x4xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %1 = graph.transpose %b {permutation = array<i64: 2, 0, 1>} : tensor<3x4x5xf32> -> tensor<5x3x4xf32>
  %1 = graph.transpose %b {permutation = array<i64: 2, 0, 1>} : tensor<3x4x5xf32> -> tensor<5x3x4xf32>
  // CHECK-NEXT: %2 = graph.broadcast %c {sizes = array<i64: 2, 1, 4>} : tensor<3x1xf32> -> tensor<2x3x4xf32>
  %2 = graph.broadcast %c {sizes = array<i64: 2, 1, 4>} : tensor<3x1xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: %3 = graph.tile %d {repeats = array<i64: 2, 3>} : tensor<2x3xf32> -> tensor<4x9xf32>
  %3 = graph.tile %d {repeats = array<i64: 2, 3>} : tensor<2x3xf32> -> tensor<4x9xf32>
  // CHECK-NEXT: %4 = graph.slice %b {starts = array<i64: 0, 0, 0>, stops = array<i64: 3, 4, 5>, steps = array<i64: 1, 1, 1>} : tensor<3x4x5xf32> -> tensor<3x4x5xf32>
  %4 = graph.slice %b {starts = array<i64: 0, 0, 0>, stops = array<i64: 3, 4, 5>, steps = array<i64: 1, 1, 1>} : tensor<3x4x5xf32> -> tensor<3x4x5xf32>
  // CHECK-NEXT: %5 = graph.concat %e {axis = 0 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %5 = graph.concat %e {axis = 0 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK-NEXT: %6 = graph.pad %f {low = array<i64: 1, 0>, high = array<i64: 0, 2>, mode = "edge"} : tensor<4x5xf32> -> tensor<5x7xf32>
  %6 = graph.pad %f {low = array<i64: 1, 0>, high = array<i64: 0, 2>, mode = "edge"} : tensor<4x5xf32> -> tensor<5x7xf32>
  // CHECK-NEXT: %7 = graph.range {start = 5 : i64, step = -2 : i64, size = 4 : i64} -> tensor<4xi64>
  %7 = graph.range {start = 5 : i64, step = -2 : i64, size = 4 : i64} -> tensor<4xi64>
  // CHECK-NEXT: %8 = graph.trilu %a {diagonal = -1 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %8 = graph.trilu %a {diagonal = -1 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @copy
func.func @copy(%a: tensor<2x3xf16>) -> tensor<2x3xf16> {
  // CHECK-NEXT: graph.copy %a : tensor<2x3xf16> -> tensor<2x3xf16>
  %0 = graph.copy %a : tensor<2x3xf16> -> tensor<2x3xf16>
  func.return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @overlay
func.func @overlay(%a: tensor<2x8xf16>, %b: tensor<2x3xf16>) -> tensor<2x8xf16> {
  // CHECK-NEXT: graph.overlay %a, %b {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} : (tensor<2x8xf16>, tensor<2x3xf16>) -> tensor<2x8xf16>
  %0 = graph.overlay %a, %b {axis = 1 : i64, size = 8 : i64, starts = array<i64: 0, 4>} : (tensor<2x8xf16>, tensor<2x3xf16>) -> tensor<2x8xf16>
  func.return %0 : tensor<2x8xf16>
}
