// RUN: dlc-opt %s --graph-append-gradients | filecheck %s

// What two read gets the sum of two gradients; so does a weight that two read. Another weight of equal numbers is one of its own.
// A constant is no weight, and an integer has no gradient.

// CHECK:      func.func @main(%x: {{.*}}, %[[W:.*]]: tensor<4x4xf32> {graph.name = "w"}, %[[V:.*]]: tensor<4x4xf32> {graph.name = "w_1"}, %[[D:.*]]: tensor<2x4xf32> {graph.name = "gradient of output0"})
// CHECK:      %[[H:.*]] = graph.matmul %x, %[[W]] :
// CHECK-NEXT: %[[I:.*]] = graph.matmul %[[H]], %[[W]] :
// CHECK-NEXT: graph.matmul %[[I]], %[[V]] :
// CHECK:      %[[N:.*]] = graph.neg %[[D]]
// CHECK-NEXT: %[[DI:.*]] = graph.matmul %[[D]], %[[V]] transpose_rhs
// CHECK-NEXT: %[[DV:.*]] = graph.matmul %[[I]], %[[D]] transpose_lhs
// CHECK-NEXT: %[[A:.*]] = graph.matmul %[[DI]], %[[W]] transpose_rhs
// CHECK-NEXT: %[[DH:.*]] = graph.add %[[N]], %[[A]]
// CHECK-NEXT: %[[DW:.*]] = graph.matmul %[[H]], %[[DI]] transpose_lhs
// CHECK-NEXT: %[[DW2:.*]] = graph.matmul %x, %[[DH]] transpose_lhs
// CHECK-NEXT: %[[SUM:.*]] = graph.add %[[DW]], %[[DW2]]
// CHECK-NEXT: func.return %{{.*}}, %{{.*}}, %[[SUM]], %[[DV]]
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xi1>) {
  %w = graph.weight @w : tensor<4x4xf32>
  %v = graph.weight @w : tensor<4x4xf32>
  %s = graph.constant dense<2.0> : tensor<1x1xf32>
  %0 = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %i = graph.matmul %0, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = graph.matmul %i, %v : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = graph.add %1, %s : (tensor<2x4xf32>, tensor<1x1xf32>) -> tensor<2x4xf32>
  %3 = graph.sub %2, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = graph.compare %0, %3 {predicate = "lt"} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  func.return %3, %4 : tensor<2x4xf32>, tensor<2x4xi1>
}
