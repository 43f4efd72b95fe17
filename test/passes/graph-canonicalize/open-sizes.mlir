// RUN: dlc-opt --graph-canonicalize %s | filecheck %s

// Reshapes whose sizes are not fixed stay: the outer one may copy an axis of the inner one.

// CHECK-LABEL: func.func @copied_sizes
// CHECK-NEXT: graph.reshape %x
// CHECK-NEXT: graph.reshape %0
func.func @copied_sizes(%x: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %0 = graph.reshape %x {sizes = array<i64: -2, -3, 2, 2>} : tensor<?x?x4xf32> -> tensor<?x?x2x2xf32>
  %1 = graph.reshape %0 {sizes = array<i64: -2, -3, 4>} : tensor<?x?x2x2xf32> -> tensor<?x?x4xf32>
  func.return %1 : tensor<?x?x4xf32>
}

// CHECK-LABEL: func.func @one_open_size
// CHECK-NEXT: graph.reshape %x
// CHECK-NEXT: graph.reshape %0
func.func @one_open_size(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = graph.reshape %x {sizes = array<i64: -1, 2>} : tensor<?x4xf32> -> tensor<?x2xf32>
  %1 = graph.reshape %0 {sizes = array<i64: -1, 4>} : tensor<?x2xf32> -> tensor<?x4xf32>
  func.return %1 : tensor<?x4xf32>
}
