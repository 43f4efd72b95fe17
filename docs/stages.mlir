func.func @main(%x: tensor<64x512xf16>, %w: tensor<512x256xf16>, %v: tensor<256x128xf16>) -> tensor<64x128xf16> {
  %0 = fused_group.group @g0(%x, %w, %v) : (tensor<64x512xf16>, tensor<512x256xf16>, tensor<256x128xf16>) -> tensor<64x128xf16> attributes {schedule = #loop.schedule<
    strategy = "stitched", target = "gpu", threads = 128, blocks = 8, carry = ["cluster"], stages = [
      {strategy = "contract", tile = [16, 32, 64], warps = [1, 4], instruction = "mma.m16n8k16", stages = 3},
      {strategy = "contract", tile = [16, 32, 64], warps = [1, 4], instruction = "mma.m16n8k16", stages = 3}]>} {
  ^bb0(%a: tensor<64x512xf16>, %b: tensor<512x256xf16>, %c: tensor<256x128xf16>):
    %1 = graph.matmul %a, %b : (tensor<64x512xf16>, tensor<512x256xf16>) -> tensor<64x256xf16>
    %2 = graph.relu %1 : tensor<64x256xf16> -> tensor<64x256xf16>
    %3 = graph.matmul %2, %c : (tensor<64x256xf16>, tensor<256x128xf16>) -> tensor<64x128xf16>
    fused_group.yield %3 : tensor<64x128xf16>
  }
  func.return %0 : tensor<64x128xf16>
}
