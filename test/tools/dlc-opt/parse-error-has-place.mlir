// RUN: not dlc-opt %s 2>&1 | filecheck %s

// CHECK: parse-error-has-place.mlir:[[# @LINE + 5]]:{{[0-9]+}}: error: there is no operation graph.nothing
// CHECK-NEXT: %0 = graph.nothing
// CHECK-NEXT: ^
// CHECK-NOT: Traceback
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.nothing %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
