// RUN: dlc-opt %s --graph-set-precision=precision=tf32 | filecheck %s
// RUN: dlc-opt %s --graph-set-precision | filecheck %s --check-prefix=FP32

// FP32-NOT: precision tf32

// CHECK-LABEL: @of_floats
func.func @of_floats(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  // CHECK: graph.matmul %x, %w precision tf32
  %y = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// Only factors of 32 bits have bits to round.
// CHECK-LABEL: @of_doubles
func.func @of_doubles(%x: tensor<2x4xf64>, %w: tensor<4x4xf64>) -> tensor<2x4xf64> {
  // CHECK: graph.matmul %x, %w :
  %y = graph.matmul %x, %w : (tensor<2x4xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
  func.return %y : tensor<2x4xf64>
}
