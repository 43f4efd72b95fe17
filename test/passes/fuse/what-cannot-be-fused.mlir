// RUN: dlc-opt %s --fuse --split-input-file --verify-diagnostics

func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@below {{graph.relu has sizes that are not fixed}}
  %0 = graph.relu %x : tensor<?x8xf32> -> tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}

// -----

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@below {{graph.softmax has no kernel of its own; run graph-decompose first}}
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
