// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

// Keys that do not fit each other, the ops of the group, or the chip.

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{carry has 2 items for 2 stages; it has one for each stage but the first}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block", "block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{carry = "block" is for one block, there are 2}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 2, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{carry = "cluster" is for one cluster of 2, 4, 8 blocks, there are 3}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 3, carry = ["cluster"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stage 0 has a schedule of 128 threads, the kernel has 64}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 64, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stage 1 has a schedule of 64 threads, the kernel has 128}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 2], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stage 1 has a schedule of no such threads}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16", split = 2}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stages has 3 items, this group has 2 stages}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block", "block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stage 1 reads what stages before it give: carry = "none" does not do}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["none"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{schedule key carry should be a list of none, block, cluster, grid}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["far"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{schedule key stages should be a list of schedules in braces}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [1, 2]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{stage 1 is not lowered by strategy 'row', but by contract}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "row", threads = 32, rows = 4}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{blocks = 133 that meet are rated with one on each of 132 SMs at most; lower blocks}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 133, carry = ["grid"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{schedule key strategy is missing}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {tile = [16, 32, 32]}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{target is a key of a kernel, not of a stage; leave it out}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}

// -----

func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x32xf16>, %v: tensor<32x64xf16>) -> tensor<3x64xf16> {
  // expected-error@below {{carry = "cluster" is for one cluster of 2, 4, 8 blocks, there are 4; set blocks, and carry without grid}}
  %0 = fused_group.group @g(%x, %w, %v) : (tensor<3x64xf16>, tensor<64x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16> attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 4, carry = ["cluster", "grid"], stages = [{strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}, {strategy = "contract", tile = [16, 32, 32], warps = [1, 4], instruction = "mma.m16n8k16"}]>} {
  ^bb0(%a: tensor<3x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x64xf16>):
    %1 = graph.matmul %a, %b : (tensor<3x64xf16>, tensor<64x32xf16>) -> tensor<3x32xf16>
    %2 = graph.matmul %1, %c : (tensor<3x32xf16>, tensor<32x64xf16>) -> tensor<3x64xf16>
    fused_group.yield %2 : tensor<3x64xf16>
  }
  func.return %0 : tensor<3x64xf16>
}
