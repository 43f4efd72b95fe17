// RUN: dlc-opt %s --fuse="search=evolve budget=0" > %t.evolve
// RUN: dlc-opt %s --fuse=search=greedy > %t.greedy
// RUN: diff %t.evolve %t.greedy

func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.tanh %x : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
