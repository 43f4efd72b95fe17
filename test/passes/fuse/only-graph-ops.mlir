// RUN: dlc-opt --fuse --fuse %s --verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{fused_group.group: fuse takes graph ops only}}
  %0 = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
