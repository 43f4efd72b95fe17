// RUN: %roundtrip

// CHECK: dense<"0x0000807F000080FF"> : tensor<2xf32>
// CHECK: dense<"0x0000000000000080"> : tensor<2xf32>
// CHECK: dense<"0x0000804B"> : tensor<f32>
// CHECK: dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf32>
func.func @infinities() -> tensor<2xf32> {
  %0 = graph.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @signed_zeros() -> tensor<2xf32> {
  %0 = graph.constant dense<[0.0, -0.0]> : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @two_to_the_24() -> tensor<f32> {
  %0 = graph.constant dense<16777216.0> : tensor<f32>
  func.return %0 : tensor<f32>
}
func.func @plain() -> tensor<2xf32> {
  %0 = graph.constant dense<[1.0, 0.25]> : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
