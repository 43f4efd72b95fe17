// RUN: dlc-opt %s --tile=arch=cpu-avx2 --verify-diagnostics
// RUN: dlc-opt %s --tile=arch=sm_80 --verify-diagnostics

// The error is at the op, not at its group.

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+3 {{graph.softmax has no kernel of its own; run graph-decompose first}}
  %0 = fused_group.group @g0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = graph.softmax %a axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %1 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}
