// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// CHECK-COUNT-1: loop.kernel
// CHECK-NOT:     loop.kernel
// CHECK-LABEL:   func.func @main
// CHECK:         %y = fused_group.launch @first(%x, %v) :
// CHECK-NEXT:    %z = fused_group.launch @first(%y, %w) of "second" :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v = graph.weight @v : tensor<4xf32>
  %w = graph.weight @w : tensor<4xf32>
  %y = fused_group.group @first(%x, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fused_group.yield %0 : tensor<4xf32>
  }
  %z = fused_group.group @second(%y, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
    %0 = graph.mul %c, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fused_group.yield %0 : tensor<4xf32>
  }
  func.return %z : tensor<4xf32>
}
