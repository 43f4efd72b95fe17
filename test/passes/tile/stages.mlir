// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics | filecheck %s

// Schedules of stages are rated as they are given.
// CHECK: blocks = 1, carry = ["block"], stages = [{strategy = "contract"{{.*}}estimate_us =
func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

// CHECK: blocks = 132, carry = ["grid"], stages = [{{.*}}estimate_us =
func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 132, carry = ["grid"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

// CHECK: blocks = 4, carry = ["cluster"], stages = [{{.*}}estimate_us =
func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 4, carry = ["cluster"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}
