// RUN: dlc-opt %s --graph-sink-transposes | filecheck %s

// CHECK-LABEL: @below_a_split
func.func @below_a_split(%x: tensor<1x8x9x6xf32>) -> tensor<1x2x3x72xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %x {sizes = array<i64: 1, 72, 2, 3>}
  // CHECK-NEXT: graph.transpose %[[Y]] {permutation = array<i64: 0, 2, 3, 1>}
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x6xf32> -> tensor<1x6x8x9xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 1, 2, 3, 72>} : tensor<1x6x8x9xf32> -> tensor<1x2x3x72xf32>
  func.return %1 : tensor<1x2x3x72xf32>
}

// CHECK-LABEL: @channel_shuffle
func.func @channel_shuffle(%x: tensor<1x8x9x6xf32>) -> tensor<1x8x9x6xf32> {
  // CHECK-NEXT: %[[A:.*]] = graph.reshape %x {{.*}} -> tensor<1x8x9x2x3xf32>
  // CHECK-NEXT: %[[B:.*]] = graph.transpose %[[A]] {{.*}} -> tensor<1x8x9x3x2xf32>
  // CHECK-NEXT: %[[C:.*]] = graph.reshape %[[B]] {{.*}} -> tensor<1x8x9x6xf32>
  // CHECK-NEXT: func.return %[[C]]
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x6xf32> -> tensor<1x6x8x9xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 1, 2, 3, 8, 9>} : tensor<1x6x8x9xf32> -> tensor<1x2x3x8x9xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : tensor<1x2x3x8x9xf32> -> tensor<1x3x2x8x9xf32>
  %3 = graph.reshape %2 {sizes = array<i64: 1, 6, 8, 9>} : tensor<1x3x2x8x9xf32> -> tensor<1x6x8x9xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x6x8x9xf32> -> tensor<1x8x9x6xf32>
  func.return %4 : tensor<1x8x9x6xf32>
}

// CHECK-LABEL: @not_below_a_flattening
func.func @not_below_a_flattening(%x: tensor<1x8x9x6xf32>) -> tensor<432xf32> {
  // CHECK-NEXT: graph.transpose %x
  // CHECK-NEXT: graph.reshape
  // CHECK-NEXT: func.return
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x8x9x6xf32> -> tensor<1x6x8x9xf32>
  %1 = graph.reshape %0 {sizes = array<i64: 432>} : tensor<1x6x8x9xf32> -> tensor<432xf32>
  func.return %1 : tensor<432xf32>
}
