// RUN: dlc-opt %s --graph-canonicalize | filecheck %s

// CHECK-LABEL: @joins_reshapes
func.func @joins_reshapes(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %x {sizes = array<i64: 3, 2>}
  // CHECK-NEXT: func.return %[[Y]]
  %0 = graph.reshape %x {sizes = array<i64: 6>} : tensor<2x3xf32> -> tensor<6xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 3, 2>} : tensor<6xf32> -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @drops_identities
func.func @drops_identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: func.return %x
  %0 = graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = graph.reshape %1 {sizes = array<i64: 2, 3>} : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: @not_a_narrowing_cast
func.func @not_a_narrowing_cast(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: graph.cast
  // CHECK-NEXT: graph.cast
  %0 = graph.cast %x {to = f16} : tensor<2xf32> -> tensor<2xf16>
  %1 = graph.cast %0 {to = f32} : tensor<2xf16> -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
