// RUN: dlc-opt --cse --locations %s | filecheck %s

// The op that stays stands for all that were merged into it, each named once.
// CHECK-LABEL: @main
// CHECK: %[[R:.*]] = graph.relu %x {{.*}} loc(fused["first", "second", "third"])
// CHECK-NEXT: %[[S:.*]] = graph.add %[[R]], %[[R]] {{.*}} loc(fused["one", "other"])
// CHECK-NEXT: graph.mul %[[S]], %[[S]] {{.*}} loc("product")
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32> loc("first")
  %1 = graph.relu %x : tensor<4xf32> -> tensor<4xf32> loc(fused["second", "first"])
  %2 = graph.relu %x : tensor<4xf32> -> tensor<4xf32> loc("third")
  %3 = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("one")
  %4 = graph.add %2, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("other")
  %5 = graph.mul %3, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("product")
  func.return %5 : tensor<4xf32>
}
