// RUN: dlc-opt %s --graph-split-small | filecheck %s

// A tensor as large as what its readers compute.
// CHECK-LABEL: @large
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
func.func @large(%s: tensor<8x8xf32>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.relu %s : tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = graph.mul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
// It costs more than to read it.
// CHECK-LABEL: @costly
// CHECK:         graph.tanh
// CHECK-NOT:     graph.tanh
func.func @costly(%s: tensor<1x8xf32>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.tanh %s : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = graph.mul %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
// Two tensors would be read in place of one.
// CHECK-LABEL: @two_tensors
// CHECK:         graph.sub
// CHECK-NOT:     graph.sub
func.func @two_tensors(%s: tensor<1x8xf32>, %t: tensor<1x8xf32>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.sub %s, %t : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = graph.mul %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.add %0, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
// The exponential would have to be stored for it.
// CHECK-LABEL: @read_by_it_only
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
func.func @read_by_it_only(%s: tensor<1x8xf32>, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.exp %s : tensor<1x8xf32> -> tensor<1x8xf32>
  %1 = graph.relu %0 : tensor<1x8xf32> -> tensor<1x8xf32>
  %2 = graph.mul %1, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.add %1, %x : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
