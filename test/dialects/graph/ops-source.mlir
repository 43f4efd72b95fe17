// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main() {
  // CHECK-NEXT: %0 = graph.weight @w : tensor<64x3x7x7xf32>
  %0 = graph.weight @w : tensor<64x3x7x7xf32>
  // CHECK-NEXT: %1 = graph.constant dense<[1, 2]> : tensor<2xi64>
  %1 = graph.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK-NEXT: %2 = graph.splat 5.000000e-01 : f16 -> tensor<4096xf16>
  %2 = graph.splat 5.000000e-01 : f16 -> tensor<4096xf16>
  func.return
}
