// RUN: rm -f %t.out && not dlc-opt %s --split-input-file -o %t.out 2>&1 | filecheck %s
// RUN: not ls %t.out

// CHECK: failure-writes-no-output.mlir:[[# @LINE + 7]]:3: error: graph.add: shapes 4x8 and 3 do not
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  func.return %x : tensor<4x8xf32>
}

// -----
func.func @main(%x: tensor<4x8xf32>, %y: tensor<3xf32>) -> tensor<4x8xf32> {
  %0 = graph.add %x, %y : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
