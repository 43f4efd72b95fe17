// RUN: %roundtrip

loop.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.end
}

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %y = fused_group.group @g1(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu">, bound = #loop.bound<time_us = 2.9>, measured = #loop.measured<time_us = 3.4, spread_us = 0.1, count = 9>, boundaries = ["%z: its shapes differ"]} {
  // CHECK-NEXT: ^bb0(%xi: tensor<8xf32>):
  %y = fused_group.group @g1(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu">, bound = #loop.bound<time_us = 2.9>, measured = #loop.measured<time_us = 3.4, spread_us = 0.1, count = 9>, boundaries = ["%z: its shapes differ"]} {
  ^bb0(%xi: tensor<8xf32>):
    %1 = graph.relu %xi : tensor<8xf32> -> tensor<8xf32>
    // CHECK: fused_group.yield %{{.*}} : tensor<8xf32>
    fused_group.yield %1 : tensor<8xf32>
  }
  // CHECK: %z = fused_group.launch @g0(%y) {offsets = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>
  %z = fused_group.launch @g0(%y) {offsets = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: fused_group.launch @g0(%y) {time_us = 2.500000e+00 : f64, first} :
  %t = fused_group.launch @g0(%y) {time_us = 2.5 : f64, first} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %v = fused_group.launch @g0(%z) of "g2" : (tensor<8xf32>) -> tensor<8xf32>
  %v = fused_group.launch @g0(%z) of "g2" : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %u = fused_group.launch @g0(%z) of "g3" {after = array<i64: 2, 1>} : (tensor<8xf32>) -> tensor<8xf32>
  %u = fused_group.launch @g0(%z) of "g3" {after = array<i64: 2, 1>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %v : tensor<8xf32>
}

// Records within a schedule print as they were written.
// CHECK: schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "map", threads = 128, tile = [1, 1]}, {strategy = "row", threads = 128}]>
builtin.module attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "map", threads = 128, tile = [1, 1]}, {strategy = "row", threads = 128}]>} {}
