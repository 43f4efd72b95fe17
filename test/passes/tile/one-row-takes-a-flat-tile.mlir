// RUN: dlc-opt %s --tile=arch=sm_90a | filecheck %s

// The time of a product with one row is that of reading its weights: rows of a tile are no use.
func.func @main(%x: tensor<1x25088xf16>, %w: tensor<4096x25088xf16>) -> tensor<1x4096xf16> {
  // CHECK: tile = [16, {{[0-9]+}}, 64]
  %y = fused_group.group @g(%x, %w) : (tensor<1x25088xf16>, tensor<4096x25088xf16>) -> tensor<1x4096xf16> {
  ^bb0(%a: tensor<1x25088xf16>, %b: tensor<4096x25088xf16>):
    %r = graph.matmul %a, %b transpose_rhs : (tensor<1x25088xf16>, tensor<4096x25088xf16>) -> tensor<1x4096xf16>
    fused_group.yield %r : tensor<1x4096xf16>
  }
  func.return %y : tensor<1x4096xf16>
}
