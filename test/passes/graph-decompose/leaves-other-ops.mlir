// RUN: dlc-opt %s --graph-decompose | filecheck %s

// CHECK:      %y = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return %y
func.func @not_composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
