// RUN: dlc-opt %s --tile=arch=sm_90a | filecheck %s

// One team's epilogue runs under the other's main loop; a producer brings slices by tensor copies.
func.func @main(%x: tensor<8192x768xf16>, %w: tensor<3072x768xf16>) -> tensor<8192x3072xf16> {
  // CHECK: tile = [128, 192, 64]
  // CHECK-SAME: stages = 4, split = 1, order = "grouped<4>"
  // CHECK-SAME: producers = 4, turns = 2, producer_registers = 40, blocks = 132, copies = "tensor"
  %y = fused_group.group @g(%x, %w) : (tensor<8192x768xf16>, tensor<3072x768xf16>) -> tensor<8192x3072xf16> {
  ^bb0(%a: tensor<8192x768xf16>, %b: tensor<3072x768xf16>):
    %r = graph.matmul %a, %b transpose_rhs : (tensor<8192x768xf16>, tensor<3072x768xf16>) -> tensor<8192x3072xf16>
    fused_group.yield %r : tensor<8192x3072xf16>
  }
  func.return %y : tensor<8192x3072xf16>
}
