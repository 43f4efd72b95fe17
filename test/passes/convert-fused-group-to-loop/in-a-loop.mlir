// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Groups of a body share kernels with those around it, and are launched where they were.
// CHECK:         loop.kernel @g0
// CHECK-NOT:     loop.kernel
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    graph.step_loop
// CHECK-NEXT:    ^bb0(%[[S:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[N:.*]] = fused_group.launch @g0(%[[S]])
// CHECK-NEXT:      graph.yield %[[N]]
// CHECK:         fused_group.launch @g0(%{{.*}}) of "g1"
func.func @main(%h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.step_loop carry(%h) slice() read() {steps = 2 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>):
    %2 = fused_group.group @g0(%s) : (tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = false>} {
    ^bb1(%a: tensor<4xf32>):
      %3 = graph.tanh %a : tensor<4xf32> -> tensor<4xf32>
      fused_group.yield %3 : tensor<4xf32>
    }
    graph.yield %2 : tensor<4xf32>
  }
  %1 = fused_group.group @g1(%0) : (tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = false>} {
  ^bb1(%a: tensor<4xf32>):
    %3 = graph.tanh %a : tensor<4xf32> -> tensor<4xf32>
    fused_group.yield %3 : tensor<4xf32>
  }
  func.return %1 : tensor<4xf32>
}
