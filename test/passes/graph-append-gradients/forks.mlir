// RUN: dlc-opt %s --graph-append-gradients | filecheck %s

// What two read gets the sum of two gradients; a weight that two ops name is one input and has one gradient.
// A constant is no weight, and an integer has no gradient.

// CHECK:      func.func @main(%x: {{.*}}, %[[W:.*]]: tensor<4x4xf32> {graph.name = "w"}, %[[D:.*]]: tensor<2x4xf32> {graph.name = "gradient of output0"})
// CHECK:      %[[H:.*]] = graph.matmul %x, %[[W]] :
// CHECK:      %[[N:.*]] = graph.neg %[[D]]
// CHECK-NEXT: %[[A:.*]] = graph.matmul %[[D]], %[[W]] transpose_rhs
// CHECK-NEXT: %[[DH:.*]] = graph.add %[[N]], %[[A]]
// CHECK-NEXT: %[[DW:.*]] = graph.matmul %[[H]], %[[D]] transpose_lhs
// CHECK-NEXT: %[[DW2:.*]] = graph.matmul %x, %[[DH]] transpose_lhs
// CHECK-NEXT: %[[SUM:.*]] = graph.add %[[DW]], %[[DW2]]
// CHECK-NEXT: func.return %{{.*}}, %{{.*}}, %[[SUM]]
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi1>) {
  %w = graph.weight @w : tensor<4x4xf32>
  %v = graph.weight @w : tensor<4x4xf32>
  %s = graph.constant dense<2.0> : tensor<1x1xf32>
  %0 = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = graph.matmul %0, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = graph.add %1, %s : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  %3 = graph.sub %2, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = graph.compare %0, %3 {predicate = "lt"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  func.return %3, %4 : tensor<2x4xf32>, tensor<2x4xi1>
}
