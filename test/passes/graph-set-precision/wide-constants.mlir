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

// CHECK-LABEL: @both_readers
func.func @both_readers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[NARROW:.*]] = graph.reshape {{.*}} : tensor<f16> -> tensor<1xf16>
  // CHECK-DAG: %[[WIDE:.*]] = graph.reshape {{.*}} : tensor<f32> -> tensor<1xf32>
  // CHECK: graph.add {{.*}}, %[[NARROW]] : (tensor<4xf16>, tensor<1xf16>)
  // CHECK: graph.add {{.*}}, %[[WIDE]] : (tensor<4xf32>, tensor<1xf32>)
  %0 = graph.splat 1.0e-12 : f32 -> tensor<f32>
  %1 = graph.reshape %0 {sizes = array<i64: 1>} : tensor<f32> -> tensor<1xf32>
  %2 = graph.add %x, %1 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %3 = graph.widen %x : tensor<4xf32> -> tensor<4xf32>
  %4 = graph.add %3, %1 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %5 = graph.narrow %4 : tensor<4xf32> -> tensor<4xf32>
  func.return %2, %5 : tensor<4xf32>, tensor<4xf32>
}
