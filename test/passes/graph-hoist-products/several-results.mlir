// RUN: dlc-opt %s --graph-hoist-products | filecheck %s

// An op with several results stays, and so does the product that needs one of them.
// CHECK-LABEL: @places
// CHECK-NEXT:    graph.step_loop carry(%h) slice(%x) read(%a)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      graph.top_k
// CHECK-NEXT:      graph.gather
// CHECK-NEXT:      graph.matmul
func.func @places(%h: tensor<3x4xf32>, %x: tensor<20x8x4xf32>, %a: tensor<3x8xf32>) -> tensor<3x4xf32> {
  %0 = graph.step_loop carry(%h) slice(%x) read(%a) {steps = 20 : i64} : (tensor<3x4xf32>) (tensor<20x8x4xf32>) (tensor<3x8xf32>) -> tensor<3x4xf32> {
  ^bb0(%s: tensor<3x4xf32>, %part: tensor<8x4xf32>, %m: tensor<3x8xf32>):
    %1, %2 = graph.top_k %m axis 1 count 8 : tensor<3x8xf32> -> tensor<3x8xf32>, tensor<3x8xi64>
    %3 = graph.gather_elements %m, %2 {axis = 1 : i64} : (tensor<3x8xf32>, tensor<3x8xi64>) -> tensor<3x8xf32>
    %4 = graph.matmul %3, %part : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %5 = graph.add %4, %s : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    graph.yield %5 : tensor<3x4xf32>
  }
  func.return %0 : tensor<3x4xf32>
}
