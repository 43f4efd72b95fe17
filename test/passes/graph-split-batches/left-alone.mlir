// RUN: dlc-opt %s --graph-split-batches | filecheck %s

// Others read the scores as they are: they would be computed twice.
// CHECK-LABEL: @other_readers
// CHECK-NEXT:    %[[S:.*]] = graph.matmul %q, %k
// CHECK-NEXT:    graph.reshape %[[S]]
// CHECK-NEXT:    func.return
func.func @other_readers(%q: tensor<4x3x5xf32>, %k: tensor<4x5x3xf32>) -> (tensor<2x2x3x3xf32>, tensor<4x3x3xf32>) {
  %0 = graph.matmul %q, %k : (tensor<4x3x5xf32>, tensor<4x5x3xf32>) -> tensor<4x3x3xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 2, 3, 3>} : tensor<4x3x3xf32> -> tensor<2x2x3x3xf32>
  func.return %1, %0 : tensor<2x2x3x3xf32>, tensor<4x3x3xf32>
}

// One weight for the whole batch: no batch of products.
// CHECK-LABEL: @weight
// CHECK-NEXT:    graph.matmul %x, %w
// CHECK-NEXT:    graph.reshape
func.func @weight(%x: tensor<4x3x5xf32>, %w: tensor<5x7xf32>) -> tensor<2x2x3x7xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x3x5xf32>, tensor<5x7xf32>) -> tensor<4x3x7xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 2, 3, 7>} : tensor<4x3x7xf32> -> tensor<2x2x3x7xf32>
  func.return %1 : tensor<2x2x3x7xf32>
}

// No product at all.
// CHECK-LABEL: @elementwise
// CHECK-NEXT:    graph.tanh %x
// CHECK-NEXT:    graph.reshape
func.func @elementwise(%x: tensor<4x3x5xf32>) -> tensor<2x2x3x5xf32> {
  %0 = graph.tanh %x : tensor<4x3x5xf32> -> tensor<4x3x5xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 2, 2, 3, 5>} : tensor<4x3x5xf32> -> tensor<2x2x3x5xf32>
  func.return %1 : tensor<2x2x3x5xf32>
}

// Rows are split, too.
// CHECK-LABEL: @rows
// CHECK-NEXT:    graph.matmul %q, %k
// CHECK-NEXT:    graph.reshape
func.func @rows(%q: tensor<4x6x5xf32>, %k: tensor<4x5x3xf32>) -> tensor<4x2x3x3xf32> {
  %0 = graph.matmul %q, %k : (tensor<4x6x5xf32>, tensor<4x5x3xf32>) -> tensor<4x6x3xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 4, 2, 3, 3>} : tensor<4x6x3xf32> -> tensor<4x2x3x3xf32>
  func.return %1 : tensor<4x2x3x3xf32>
}
