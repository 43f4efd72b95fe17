// RUN: dlc-opt --cse --locations %s | filecheck %s

// CHECK-LABEL: @main
// CHECK: graph.relu %x {{.*}} loc("one")
// CHECK: graph.relu %y {{.*}} loc("other")
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32> loc("one")
  %1 = graph.relu %y : tensor<4xf32> -> tensor<4xf32> loc("other")
  %2 = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
