// RUN: dlc-opt %s --graph-split-scales | filecheck %s
// RUN: dlc-opt %s --graph-split-scales=arch=cpu-avx2 | filecheck %s --check-prefix=NOT
// RUN: dlc-opt %s --graph-split-scales=arch=v100 | filecheck %s --check-prefix=NOT

// Only chips whose tensor cores multiply 8 bits gain.
// NOT: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
// NOT: graph.conv {{.*}} -> tensor<2x6x9x9xf32>

// CHECK-LABEL: @of_rows_and_columns
func.func @of_rows_and_columns(%a: tensor<5x64xui8>, %q: tensor<ui8>, %s: tensor<5x1xf32>, %t: tensor<7xf32>) -> tensor<5x7xf32> {
  // CHECK:      %[[T:.*]] = graph.reshape %t {sizes = array<i64: 1, 7>}
  // CHECK:      %[[SCALE:.*]] = graph.mul %s, %[[T]] : (tensor<5x1xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
  // CHECK:      %[[SUMS:.*]] = graph.matmul %{{.*}}, %{{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  // CHECK-NEXT: %[[REAL:.*]] = graph.cast %[[SUMS]] {to = f32}
  // CHECK-NEXT: %y = graph.mul %[[REAL]], %[[SCALE]]
  // CHECK-NEXT: func.return %y
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %p = graph.cast %q {to = i32} : tensor<ui8> -> tensor<i32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<i32>) -> tensor<5x64xi32>
  %2 = graph.cast %1 {to = f32} : tensor<5x64xi32> -> tensor<5x64xf32>
  %3 = graph.mul %2, %s : (tensor<5x64xf32>, tensor<5x1xf32>) -> tensor<5x64xf32>
  %b = graph.weight @b : tensor<64x7xi8>
  %4 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %5 = graph.cast %4 {to = f32} : tensor<64x7xi32> -> tensor<64x7xf32>
  %6 = graph.mul %t, %5 : (tensor<7xf32>, tensor<64x7xf32>) -> tensor<64x7xf32>
  %y = graph.matmul %3, %6 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// CHECK-LABEL: @of_output_channels
func.func @of_output_channels(%x: tensor<2x8x9x9xui8>, %s: tensor<f32>, %t: tensor<6x1x1x1xf32>) -> tensor<2x6x9x9xf32> {
  // CHECK: graph.reshape %t {sizes = array<i64: 1, 6, 1, 1>}
  // CHECK: graph.conv {{.*}} : (tensor<2x8x9x9xi32>, tensor<6x8x3x3xi32>) -> tensor<2x6x9x9xi32>
  %0 = graph.cast %x {to = i32} : tensor<2x8x9x9xui8> -> tensor<2x8x9x9xi32>
  %1 = graph.cast %0 {to = f32} : tensor<2x8x9x9xi32> -> tensor<2x8x9x9xf32>
  %2 = graph.mul %1, %s : (tensor<2x8x9x9xf32>, tensor<f32>) -> tensor<2x8x9x9xf32>
  %w = graph.weight @w : tensor<6x8x3x3xi8>
  %3 = graph.cast %w {to = i32} : tensor<6x8x3x3xi8> -> tensor<6x8x3x3xi32>
  %4 = graph.cast %3 {to = f32} : tensor<6x8x3x3xi32> -> tensor<6x8x3x3xf32>
  %5 = graph.mul %4, %t : (tensor<6x8x3x3xf32>, tensor<6x1x1x1xf32>) -> tensor<6x8x3x3xf32>
  %y = graph.conv %2, %5 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : (tensor<2x8x9x9xf32>, tensor<6x8x3x3xf32>) -> tensor<2x6x9x9xf32>
  func.return %y : tensor<2x6x9x9xf32>
}
