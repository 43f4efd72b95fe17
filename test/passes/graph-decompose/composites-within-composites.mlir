// RUN: dlc-opt %s --graph-decompose | filecheck %s

// Attention means products around a softmax, which is a composite op itself: none of either is left.

// CHECK-LABEL: func.func @function
// CHECK-NOT:   graph.attention
// CHECK-NOT:   graph.softmax
// CHECK:       %[[SCORES:.*]] = graph.matmul %q, %k transpose_rhs
// CHECK:       %[[SCALED:.*]] = graph.mul %[[SCORES]],
// CHECK:       %[[MAX:.*]] = graph.reduce_max %[[SCALED]] axes [1] keep_dims
// CHECK-NEXT:  %[[SHIFTED:.*]] = graph.sub %[[SCALED]], %[[MAX]]
// CHECK-NEXT:  %[[EXP:.*]] = graph.exp %[[SHIFTED]]
// CHECK-NEXT:  %[[SUM:.*]] = graph.reduce_sum %[[EXP]] axes [1] keep_dims
// CHECK-NEXT:  %[[SHARE:.*]] = graph.div %[[EXP]], %[[SUM]]
// CHECK-NEXT:  %y = graph.matmul %[[SHARE]], %v
// CHECK-NEXT:  func.return %y
func.func @function(%q: tensor<3x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x8xf32>) -> tensor<3x8xf32> {
  %y = graph.attention %q, %k, %v scale 0.5 : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK-LABEL: func.func @group
// CHECK:       fused_group.group
// CHECK-NOT:   graph.softmax
// CHECK:       %[[MAX:.*]] = graph.reduce_max %a axes [1] keep_dims
// CHECK:       %[[DIV:.*]] = graph.div
// CHECK-NEXT:  fused_group.yield %[[DIV]]
func.func @group(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = fused_group.group @g0(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%a: tensor<3x4xf32>):
    %0 = graph.softmax %a axis 1 : tensor<3x4xf32> -> tensor<3x4xf32>
    fused_group.yield %0 : tensor<3x4xf32>
  }
  func.return %y : tensor<3x4xf32>
}
