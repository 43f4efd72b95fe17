// RUN: dlc-opt %s --graph-sink-broadcasts | filecheck %s

// A mask of keys that is written for each query is one row, where it is added.
// CHECK-LABEL: @mask_of_keys
// CHECK:         %[[ONE:.*]] = graph.splat true -> tensor<1x1x1x1xi1>
// CHECK-NEXT:    %[[SEEN:.*]] = graph.and %[[ONE]], %keys : {{.*}} -> tensor<2x1x1x8xi1>
// CHECK:         %[[MASK:.*]] = graph.where %[[SEEN]], {{.*}} -> tensor<2x1x1x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = graph.add %scores, %[[MASK]]
// CHECK-NEXT:    func.return %[[Y]]
func.func @mask_of_keys(%scores: tensor<2x3x4x8xf32>, %keys: tensor<2x1x1x8xi1>) -> tensor<2x3x4x8xf32> {
  %all = graph.splat true -> tensor<1x1x4x1xi1>
  %seen = graph.and %all, %keys : (tensor<1x1x4x1xi1>, tensor<2x1x1x8xi1>) -> tensor<2x1x4x8xi1>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %low = graph.constant dense<-1.0e30> : tensor<f32>
  %mask = graph.where %seen, %zero, %low : (tensor<2x1x4x8xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x4x8xf32>
  %y = graph.add %scores, %mask : (tensor<2x3x4x8xf32>, tensor<2x1x4x8xf32>) -> tensor<2x3x4x8xf32>
  func.return %y : tensor<2x3x4x8xf32>
}

// Axes of size 1 in front are repetition, too.
// CHECK-LABEL: @axes_in_front
// CHECK:         %[[S:.*]] = graph.relu %x : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.broadcast %[[S]] {sizes = array<i64: 1, 8>} : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    func.return %[[B]]
func.func @axes_in_front(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = graph.broadcast %x {sizes = array<i64: 1, 8>} : tensor<8xf32> -> tensor<1x8xf32>
  %1 = graph.relu %0 : tensor<1x8xf32> -> tensor<1x8xf32>
  func.return %1 : tensor<1x8xf32>
}

// What reads it and does not broadcast gets all of it.
// CHECK-LABEL: @other_readers
// CHECK:         %[[S:.*]] = graph.relu %x : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT:    %[[B:.*]] = graph.broadcast %[[S]] {sizes = array<i64: 4, 8>}
// CHECK-NEXT:    graph.reduce_sum %[[B]]
// CHECK-NEXT:    graph.add %[[S]], %y
func.func @other_readers(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0 = graph.broadcast %x {sizes = array<i64: 4, 8>} : tensor<8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.reduce_sum %1 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %3 = graph.add %1, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %2, %3 : tensor<4xf32>, tensor<4x8xf32>
}
