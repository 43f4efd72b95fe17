// RUN: dlc-opt %s --tile=arch=h200 | filecheck %s

// CHECK: schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 2, split = 2, order = "row"{{.*}}>, bound = #loop.bound<time_us = {{[0-9.]+}}, estimate_us = {{[0-9.]+}},
func.func @main(%x: tensor<128x768xf16>, %w: tensor<768x64xf16>) -> tensor<128x64xf16> {
  %0 = fused_group.group @g0(%x, %w) : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 2, split = 2, order = "row">} {
  ^bb0(%a: tensor<128x768xf16>, %b: tensor<768x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<128x768xf16>, tensor<768x64xf16>) -> tensor<128x64xf16>
    fused_group.yield %1 : tensor<128x64xf16>
  }
  func.return %0 : tensor<128x64xf16>
}
