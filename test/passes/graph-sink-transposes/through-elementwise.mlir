// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// CHECK-LABEL: @below_relu
func.func @below_relu(%x: tensor<1x8x9x3xf32>) -> tensor<1x3x8x9xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.relu %x : tensor<1x8x9x3xf32>
  // CHECK-NEXT: graph.transpose %[[Y]] {permutation = array<i64: 0, 3, 1, 2>}
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x3xf32> -> tensor<1x3x8x9xf32>
  %1 = graph.relu %0 : tensor<1x3x8x9xf32> -> tensor<1x3x8x9xf32>
  func.return %1 : tensor<1x3x8x9xf32>
}

// CHECK-LABEL: @meets_its_inverse
func.func @meets_its_inverse(%x: tensor<1x8x9x3xf32>, %y: tensor<1x8x9x3xf32>) -> tensor<1x8x9x3xf32> {
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %x, %y
  // CHECK-NEXT: func.return %[[SUM]]
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x3xf32> -> tensor<1x3x8x9xf32>
  %1 = graph.transpose %y {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x3xf32> -> tensor<1x3x8x9xf32>
  %2 = graph.add %0, %1 : (tensor<1x3x8x9xf32>, tensor<1x3x8x9xf32>) -> tensor<1x3x8x9xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x8x9xf32> -> tensor<1x8x9x3xf32>
  func.return %3 : tensor<1x8x9x3xf32>
}

// CHECK-LABEL: @permutes_a_constant
func.func @permutes_a_constant(%x: tensor<1x8x9x3xf32>) -> tensor<1x3x8x9xf32> {
  // CHECK: %[[B:.*]] = graph.weight @b
  // CHECK-NEXT: %[[ROW:.*]] = graph.reshape %[[B]] {{.*}} -> tensor<1x1x1x3xf32>
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %x, %[[ROW]]
  // CHECK-NEXT: graph.transpose %[[SUM]]
  %b = graph.weight @b : tensor<3x1x1xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x3xf32> -> tensor<1x3x8x9xf32>
  %1 = graph.add %0, %b : (tensor<1x3x8x9xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8x9xf32>
  func.return %1 : tensor<1x3x8x9xf32>
}

// CHECK-LABEL: @not_for_the_smaller_operand
func.func @not_for_the_smaller_operand(%x: tensor<1x1x9x3xf32>, %y: tensor<8x3x1x9xf32>) -> tensor<8x3x1x9xf32> {
  // CHECK-NEXT: graph.transpose %x
  // CHECK-NEXT: %[[SUM:.*]] = graph.add
  // CHECK-NEXT: func.return %[[SUM]]
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x1x9x3xf32> -> tensor<1x3x1x9xf32>
  %1 = graph.add %0, %y : (tensor<1x3x1x9xf32>, tensor<8x3x1x9xf32>) -> tensor<8x3x1x9xf32>
  func.return %1 : tensor<8x3x1x9xf32>
}

// CHECK-LABEL: @another_permutation
func.func @another_permutation(%x: tensor<5x5x5xf32>, %y: tensor<5x5x5xf32>) -> tensor<5x5x5xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.transpose %y {permutation = array<i64: 1, 0, 2>}
  // CHECK-NEXT: %[[BACK:.*]] = graph.transpose %[[Y]] {permutation = array<i64: 2, 0, 1>}
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %x, %[[BACK]]
  // CHECK-NEXT: graph.transpose %[[SUM]] {permutation = array<i64: 1, 2, 0>}
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : tensor<5x5x5xf32> -> tensor<5x5x5xf32>
  %1 = graph.transpose %y {permutation = array<i64: 1, 0, 2>} : tensor<5x5x5xf32> -> tensor<5x5x5xf32>
  %2 = graph.add %0, %1 : (tensor<5x5x5xf32>, tensor<5x5x5xf32>) -> tensor<5x5x5xf32>
  func.return %2 : tensor<5x5x5xf32>
}
