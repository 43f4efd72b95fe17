// RUN: dlc-opt %s --convert-loop-to-gpu | filecheck %s

// What is beside the kernels is not changed: launches, views, constants, groups of a library.
// CHECK-LABEL: func.func @not_for_kernels
// CHECK-NEXT:    %[[C:.*]] = graph.splat
// CHECK-NEXT:    %[[G:.*]] = fused_group.group @g(%x)
// CHECK-SAME:      backend = "library"
// CHECK:         %[[L:.*]] = fused_group.launch @k(%[[G]], %[[C]])
// CHECK-NEXT:    %[[V:.*]] = graph.reshape %[[L]]
// CHECK-NEXT:    func.return %[[V]]
func.func @not_for_kernels(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %c = graph.splat 1.0 : f32 -> tensor<4xf32>
  %g = fused_group.group @g(%x) : (tensor<4xf32>) -> tensor<4xf32> attributes {backend = "library"} {
  ^bb0(%a: tensor<4xf32>):
    fused_group.yield %a : tensor<4xf32>
  }
  %l = fused_group.launch @k(%g, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = graph.reshape %l {sizes = array<i64: 2, 2>} : tensor<4xf32> -> tensor<2x2xf32>
  func.return %v : tensor<2x2xf32>
}
