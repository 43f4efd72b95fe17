// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A launch says what its group probably takes: as measured, else as estimated, else nothing.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: fused_group.launch @a(%x) {time_us = 2.500000e+00 : f64} :
  %a = fused_group.group @a(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 1>, bound = #loop.bound<time_us = 1.0, estimate_us = 2.5>} {
  ^bb0(%i: tensor<8xf32>):
    %0 = graph.exp %i : tensor<8xf32> -> tensor<8xf32>
    fused_group.yield %0 : tensor<8xf32>
  }
  // CHECK-NEXT: fused_group.launch @b(%a) {time_us = 3.500000e+00 : f64} :
  %b = fused_group.group @b(%a) : (tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 1>, bound = #loop.bound<time_us = 1.0, estimate_us = 2.5>, measured = #loop.measured<time_us = 3.5, spread_us = 0.1, count = 9>} {
  ^bb0(%i: tensor<8xf32>):
    %0 = graph.neg %i : tensor<8xf32> -> tensor<8xf32>
    fused_group.yield %0 : tensor<8xf32>
  }
  // CHECK-NEXT: fused_group.launch @c(%b) :
  %c = fused_group.group @c(%b) : (tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 1>} {
  ^bb0(%i: tensor<8xf32>):
    %0 = graph.tanh %i : tensor<8xf32> -> tensor<8xf32>
    fused_group.yield %0 : tensor<8xf32>
  }
  func.return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
