// RUN: dlc-opt %s --graph-split-casts | filecheck %s

// CHECK-LABEL: @one_for_each_reader
func.func @one_for_each_reader(%x: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[A:.*]] = graph.cast %x {to = f32}
  // CHECK-DAG: %[[B:.*]] = graph.cast %x {to = f32}
  // CHECK: graph.exp %[[A]]
  // CHECK-NEXT: graph.mul %[[B]], %[[B]]
  %0 = graph.cast %x {to = f32} : tensor<4xf16> -> tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = graph.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @not_a_narrowing_one
func.func @not_a_narrowing_one(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>) {
  // CHECK-NEXT: graph.cast
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.relu
  %0 = graph.cast %x {to = f16} : tensor<4xf32> -> tensor<4xf16>
  %1 = graph.exp %0 : tensor<4xf16> -> tensor<4xf16>
  %2 = graph.relu %0 : tensor<4xf16> -> tensor<4xf16>
  func.return %1, %2 : tensor<4xf16>, tensor<4xf16>
}
