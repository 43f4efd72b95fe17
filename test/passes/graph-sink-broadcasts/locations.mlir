// RUN: dlc-opt %s --graph-sink-broadcasts --locations | filecheck %s

// All that an op becomes has its location: the element of a splat, the op, and the broadcast behind it.
// CHECK-LABEL: @main
// CHECK:         graph.splat 2.0{{.*}} -> tensor<1x1xf32> loc("product")
// CHECK-NEXT:    graph.mul {{.*}} -> tensor<1x8xf32> loc("product")
// CHECK-NEXT:    graph.broadcast {{.*}} -> tensor<4x8xf32> loc("product")
func.func @main(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %x {sizes = array<i64: 4, 8>} : tensor<8xf32> -> tensor<4x8xf32> loc("mask")
  %1 = graph.splat 2.0 : f32 -> tensor<4x8xf32> loc("two")
  %2 = graph.mul %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("product")
  func.return %2 : tensor<4x8xf32>
}
