// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Each launch of a group has an equal share of its time, so that the shares add up to it. A group
// with the kernels of another one shares its own time.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<50x32xf32>, %y: tensor<50x32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  // CHECK-NEXT: %[[A:.*]] = fused_group.launch @a_1(%x) of "a" {time_us = 1.250000e+00 : f64} :
  // CHECK-NEXT: fused_group.launch @a_2(%[[A]]) of "a" {time_us = 1.250000e+00 : f64} :
  %a = fused_group.group @a(%x) : (tensor<50x32xf32>) -> tensor<32xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, vector = 4, lanes = "across", split = 7>, bound = #loop.bound<time_us = 1.0, estimate_us = 2.5>} {
  ^bb0(%i: tensor<50x32xf32>):
    %0 = graph.reduce_sum %i axes [0] : tensor<50x32xf32> -> tensor<32xf32>
    fused_group.yield %0 : tensor<32xf32>
  }
  // CHECK-NEXT: %[[B:.*]] = fused_group.launch @a_1(%y) of "b" {time_us = 2.000000e+00 : f64} :
  // CHECK-NEXT: fused_group.launch @a_2(%[[B]]) of "b" {time_us = 2.000000e+00 : f64} :
  %b = fused_group.group @b(%y) : (tensor<50x32xf32>) -> tensor<32xf32> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 16, vector = 4, lanes = "across", split = 7>, bound = #loop.bound<time_us = 1.0, estimate_us = 2.5>, measured = #loop.measured<time_us = 4.0, spread_us = 0.1, count = 9>} {
  ^bb0(%i: tensor<50x32xf32>):
    %0 = graph.reduce_sum %i axes [0] : tensor<50x32xf32> -> tensor<32xf32>
    fused_group.yield %0 : tensor<32xf32>
  }
  func.return %a, %b : tensor<32xf32>, tensor<32xf32>
}
