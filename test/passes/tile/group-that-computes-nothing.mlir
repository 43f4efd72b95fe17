// RUN: dlc-opt %s --tile=arch=cpu-avx2 --split-input-file --verify-diagnostics
// RUN: dlc-opt %s --tile=arch=sm_80 --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{these ops cannot share a kernel: no result of the group is computed in it}}
  %0 = fused_group.group @g0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %unread = graph.exp %a : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %a : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// -----

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{these ops cannot share a kernel: no result of the group is computed in it}}
  fused_group.group @g0(%x) : (tensor<4x8xf32>) -> () {
  ^bb0(%a: tensor<4x8xf32>):
    %unread = graph.exp %a : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield :
  }
  func.return %x : tensor<4x8xf32>
}
