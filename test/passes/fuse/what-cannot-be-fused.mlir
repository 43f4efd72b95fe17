// RUN: dlc-opt %s --fuse --verify-diagnostics

func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error@below {{graph.relu has sizes that are not fixed}}
  %0 = graph.relu %x : tensor<?x8xf32> -> tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}
