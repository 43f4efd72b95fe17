// RUN: dlc-opt %s --tile=arch=sm_90a | filecheck %s

// Lanes go across rows in teams of any number: two of eight rows each are fewer than any that is in the
// space of schedules, and get an estimate, too.

// CHECK: rows = 16, vector = 8, lanes = "across"
// CHECK-SAME: estimate_us =
func.func @main(%x: tensor<8x96x4096xf16>) -> tensor<8x1x4096xf16> {
  %0 = fused_group.group @g0(%x) : (tensor<8x96x4096xf16>) -> tensor<8x1x4096xf16> attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, rows = 16, vector = 8, lanes = "across">} {
  ^bb0(%a: tensor<8x96x4096xf16>):
    %1 = graph.reduce_sum %a axes [1] keep_dims : tensor<8x96x4096xf16> -> tensor<8x1x4096xf16>
    fused_group.yield %1 : tensor<8x1x4096xf16>
  }
  func.return %0 : tensor<8x1x4096xf16>
}
