// RUN: not dlc-opt %s 2>&1 | filecheck %s

// CHECK: faults-have-places.mlir:11:3: error: graph.add: shapes 4 and 3 do not broadcast: sizes [3, 4] differ
// CHECK-NEXT: %0 = graph.add
// CHECK-NEXT: {{^  \^}}
// CHECK: "node_7": error: graph.add: shapes 4 and 3
// CHECK: faults-have-places.mlir:13:3: error: graph.add: shapes 4 and 3
// CHECK-NOT: func.func @main

func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  %1 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32> loc("node_7")
  %2 = graph.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  func.return
}
