// RUN: dlc-opt %s --graph-sink-broadcasts | filecheck %s

// Splats that the other operand does not repeat.
// CHECK-LABEL: @splat
// CHECK:         graph.splat 1.0{{.*}} -> tensor<4x8xf32>
// CHECK-NEXT:    graph.add
func.func @splat(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.splat 1.0 : f32 -> tensor<4x8xf32>
  %1 = graph.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Constants alone: graph-fold-constants computes them.
// CHECK-LABEL: @constants
// CHECK:         graph.splat 1.0{{.*}} -> tensor<4x8xf32>
func.func @constants() -> tensor<4x8xf32> {
  %0 = graph.splat 1.0 : f32 -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// Operands that are of different shapes, and neither is repeated.
// CHECK-LABEL: @outer
// CHECK-NEXT:    graph.add %x, %y
func.func @outer(%x: tensor<4x1xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %x, %y : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// No elementwise op: a product reads the broadcast.
// CHECK-LABEL: @product
// CHECK:         %[[B:.*]] = graph.broadcast
// CHECK-NEXT:    graph.matmul %[[B]], %y
func.func @product(%x: tensor<1x8xf32>, %y: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %x {sizes = array<i64: 4, 8>} : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %y : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}
