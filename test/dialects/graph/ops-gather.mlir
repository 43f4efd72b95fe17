// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<3x4x5xf32>, %b: tensor<2x2xi64>, %c: tensor<2x2x5xi64>, %d: tensor<3x2xi64>, %e: tensor<4xi64>, %f: tensor<3x4xf32>, %g: tensor<2x3xi64>, %h: tensor<2x3xf32>, %i: tensor<3x1x2xi64>, %j: tensor<3x1xf32>) {
  // CHECK-NEXT: %0 = graph.gather %a, %b {axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<2x2xi64>) -> tensor<2x2x4x5xf32>
  %0 = graph.gather %a, %b {axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<2x2xi64>) -> tensor<2x2x4x5xf32>
  // CHECK-NEXT: %1 = graph.gather_elements %a, %c {axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<2x2x5xi64>) -> tensor<2x2x5xf32>
  %1 = graph.gather_elements %a, %c {axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<2x2x5xi64>) -> tensor<2x2x5xf32>
  // CHECK-NEXT: %2 = graph.gather_nd %a, %d {batch_axes = 0 : i64} : (tensor<3x4x5xf32>, tensor<3x2xi64>) -> tensor<3x5xf32>
  %2 = graph.gather_nd %a, %d {batch_axes = 0 : i64} : (tensor<3x4x5xf32>, tensor<3x2xi64>) -> tensor<3x5xf32>
  // CHECK-NEXT: %3 = graph.reverse_sequence %a, %e {batch_axis = 1 : i64, time_axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<4xi64>) -> tensor<3x4x5xf32>
  %3 = graph.reverse_sequence %a, %e {batch_axis = 1 : i64, time_axis = 0 : i64} : (tensor<3x4x5xf32>, tensor<4xi64>) -> tensor<3x4x5xf32>
  // CHECK-NEXT: %4 = graph.scatter_elements %f, %g, %h {axis = 0 : i64, reduction = "none"} : (tensor<3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<3x4xf32>
  %4 = graph.scatter_elements %f, %g, %h {axis = 0 : i64, reduction = "none"} : (tensor<3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<3x4xf32>
  // CHECK-NEXT: %5 = graph.scatter_nd %f, %i, %j {reduction = "none"} : (tensor<3x4xf32>, tensor<3x1x2xi64>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %5 = graph.scatter_nd %f, %i, %j {reduction = "none"} : (tensor<3x4xf32>, tensor<3x1x2xi64>, tensor<3x1xf32>) -> tensor<3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @grid_sample
func.func @grid_sample(%x: tensor<1x3x8x8xf32>, %grid: tensor<1x4x5x2xf32>) {
  // CHECK-NEXT: %0 = graph.grid_sample %x, %grid {mode = "cubic", padding = "border", align_corners} : (tensor<1x3x8x8xf32>, tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32>
  %0 = graph.grid_sample %x, %grid {mode = "cubic", padding = "border", align_corners} : (tensor<1x3x8x8xf32>, tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32>
  // CHECK-NEXT: %1 = graph.grid_sample %x, %grid {mode = "linear", padding = "zeros", unnormalized} : (tensor<1x3x8x8xf32>, tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32>
  %1 = graph.grid_sample %x, %grid {mode = "linear", padding = "zeros", unnormalized} : (tensor<1x3x8x8xf32>, tensor<1x4x5x2xf32>) -> tensor<1x3x4x5xf32>
  func.return
}
