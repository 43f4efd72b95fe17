// RUN: dlc-opt %s --graph-set-precision=precision=fp16 | filecheck %s
// RUN: dlc-opt %s --graph-set-precision | filecheck %s --check-prefix=FP32

// CHECK-LABEL: @squares_and_small_summands
// FP32-LABEL: @squares_and_small_summands
func.func @squares_and_small_summands(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[X:.*]] = graph.cast %x {to = f16}
  // CHECK-NEXT: %[[W:.*]] = graph.cast %[[X]] {to = f32}
  // CHECK-NEXT: %[[SQUARE:.*]] = graph.mul %[[W]], %[[W]] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[SMALL:.*]] = graph.splat 1.000000e-12 : f32 -> tensor<f32>
  // CHECK-NEXT: %[[SUM:.*]] = graph.add %[[SQUARE]], %[[SMALL]]
  // CHECK-NEXT: %[[ROOT:.*]] = graph.sqrt %[[SUM]] : tensor<4xf32>
  // CHECK-NEXT: %[[N:.*]] = graph.cast %[[ROOT]] {to = f16}
  // CHECK-NEXT: graph.relu %[[N]] : tensor<4xf16>
  // FP32-NEXT: %[[SQUARE:.*]] = graph.mul %x, %x
  // FP32: %[[ROOT:.*]] = graph.sqrt
  // FP32-NEXT: graph.relu %[[ROOT]]
  %0 = graph.widen %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.splat 1.0e-12 : f32 -> tensor<f32>
  %3 = graph.add %1, %2 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = graph.sqrt %3 : tensor<4xf32> -> tensor<4xf32>
  %5 = graph.narrow %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = graph.relu %5 : tensor<4xf32> -> tensor<4xf32>
  func.return %6 : tensor<4xf32>
}

// CHECK-LABEL: @a_constant_of_both
func.func @a_constant_of_both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[NARROW:.*]] = graph.splat 5.960460e-08 : f16 -> tensor<f16>
  // CHECK-DAG: %[[WIDE:.*]] = graph.splat 1.000000e-12 : f32 -> tensor<f32>
  // CHECK: graph.add {{.*}}, %[[NARROW]]
  // CHECK: graph.add {{.*}}, %[[WIDE]]
  %0 = graph.splat 1.0e-12 : f32 -> tensor<f32>
  %1 = graph.add %x, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.widen %x : tensor<4xf32> -> tensor<4xf32>
  %3 = graph.add %2, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = graph.narrow %3 : tensor<4xf32> -> tensor<4xf32>
  func.return %1, %4 : tensor<4xf32>, tensor<4xf32>
}
