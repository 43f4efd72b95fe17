// RUN: dlc-opt %s --fuse | filecheck %s
// RUN: dlc-opt %s --fuse=arch=cpu-avx2 --tile=arch=cpu-avx2 --lower-to-loop | filecheck %s --check-prefix KERNEL
// RUN: dlc-opt %s --fuse=arch=sm_80 --tile=arch=sm_80 --lower-to-loop | filecheck %s --check-prefix KERNEL

// CHECK-LABEL: func.func @main
// CHECK-NOT:     graph.exp
// CHECK-NOT:     graph.matmul
// CHECK:         fused_group.group @g0(%x)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.tanh
// CHECK-NEXT:      fused_group.yield
// CHECK-NOT:     fused_group.group

// KERNEL-NOT: math.exp
// KERNEL:     math.tanh
// KERNEL-NOT: math.exp
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %unread = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %by_unread = graph.matmul %unread, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y = graph.tanh %x : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}
