// RUN: dlc-opt %s --convert-fused-group-to-loop --split-input-file | filecheck %s

// Windows of two that move by two share nothing: each tap of each neighbour is read by itself.
// CHECK-LABEL: loop.kernel @apart
// CHECK:      loop.for {{.*}} = 0 to 2 kind = reduction map = serial {
// CHECK-NEXT:   loop.for {{.*}} = 0 to 2 kind = reduction map = serial {
// CHECK-NEXT:     loop.for {{.*}} = 0 to 4 kind = parallel map = unroll {
// CHECK-NEXT:       loop.for {{.*}} = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:         loop.load
func.func @main(%x: tensor<1x8x8x8xf16>) -> tensor<1x4x4x8xf16> {
  %y = fused_group.group @apart(%x) : (tensor<1x8x8x8xf16>) -> tensor<1x4x4x8xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 16, vector = 8, columns = 4>} {
  ^bb0(%a: tensor<1x8x8x8xf16>):
    %0 = graph.max_pool %a window [2, 2] strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] layout channels_last : tensor<1x8x8x8xf16> -> tensor<1x4x4x8xf16>
    fused_group.yield %0 : tensor<1x4x4x8xf16>
  }
  func.return %y : tensor<1x4x4x8xf16>
}

// -----

// Four columns do not divide ten: a thread has one of them.
// CHECK-LABEL: loop.kernel @tail
// CHECK-NOT:  loop.alloc
// CHECK:      loop.for {{.*}} = 0 to 8 kind = parallel map = vector {
// CHECK:        loop.for {{.*}} = 0 to 3 kind = reduction map = serial iter_args
func.func @main(%x: tensor<1x10x10x8xf16>) -> tensor<1x10x10x8xf16> {
  %y = fused_group.group @tail(%x) : (tensor<1x10x10x8xf16>) -> tensor<1x10x10x8xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 16, vector = 8, columns = 4>} {
  ^bb0(%a: tensor<1x10x10x8xf16>):
    %0 = graph.max_pool %a window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last : tensor<1x10x10x8xf16> -> tensor<1x10x10x8xf16>
    fused_group.yield %0 : tensor<1x10x10x8xf16>
  }
  func.return %y : tensor<1x10x10x8xf16>
}
