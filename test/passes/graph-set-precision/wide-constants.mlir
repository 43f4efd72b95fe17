// RUN: dlc-opt %s --graph-set-precision=precision=fp16 | filecheck %s

// What is made of a constant for wide ops alone is as wide as they are; what others read, too, has
// the narrow type.

// CHECK-LABEL: func.func @reshaped
// CHECK:       %[[ONE:.*]] = graph.splat 1.000000e+00 : f32 -> tensor<f32>
// CHECK-NEXT:  %[[R:.*]] = graph.reshape %[[ONE]] {sizes = array<i64: 1, 1>} : tensor<f32> -> tensor<1x1xf32>
// CHECK-NEXT:  graph.div %[[R]], %{{.*}} : (tensor<1x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @reshaped(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.widen %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.splat 1.0 : f32 -> tensor<f32>
  %2 = graph.reshape %1 {sizes = array<i64: 1, 1>} : tensor<f32> -> tensor<1x1xf32>
  %3 = graph.div %2, %0 : (tensor<1x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.narrow %3 : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @narrow_reader
// CHECK:       %[[R:.*]] = graph.reshape %{{.*}} {sizes = array<i64: 1, 1>} : tensor<f16> -> tensor<1x1xf16>
// CHECK-NEXT:  graph.div %[[R]], %{{.*}} : (tensor<1x1xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
func.func @narrow_reader(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %1 = graph.splat 1.0 : f32 -> tensor<f32>
  %2 = graph.reshape %1 {sizes = array<i64: 1, 1>} : tensor<f32> -> tensor<1x1xf32>
  %3 = graph.div %2, %x : (tensor<1x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %3 : tensor<4x8xf32>
}
