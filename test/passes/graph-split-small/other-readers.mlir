// RUN: dlc-opt %s --graph-split-small | filecheck %s

// A reader that takes part in no such group, and the end of the function.
// CHECK-LABEL: @other_readers
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
func.func @other_readers(%s: tensor<1x8xf32>, %w: tensor<8x64xf32>, %x: tensor<8x8xf32>) -> (tensor<1x64xf32>, tensor<8x8xf32>) {
  %0 = graph.relu %s : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = graph.matmul %0, %w : (tensor<1x8xf32>, tensor<8x64xf32>) -> tensor<1x64xf32>
  %2 = graph.add %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %1, %2 : tensor<1x64xf32>, tensor<8x8xf32>
}
// CHECK-LABEL: @returned
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
func.func @returned(%s: tensor<1x8xf32>, %x: tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<8x8xf32>) {
  %0 = graph.relu %s : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = graph.add %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0, %1 : tensor<1x8xf32>, tensor<8x8xf32>
}
// CHECK-LABEL: @one_reader
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
func.func @one_reader(%s: tensor<1x8xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.relu %s : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = graph.add %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %1 : tensor<8x8xf32>
}
