// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Four warps below each other are a warpgroup, which multiplies 64 rows. The instruction reads the
// tiles where they lie, so they have its swizzle, and their lines are along the reduction, whichever
// way round the factor lies in memory. The columns of four panels of 8 take turns.

// CHECK:      loop.zero : memref<128x64xf32, #loop.spread<instruction = "wgmma.m64n32k16", map = spatial(2, 1) * repeat(1, 2), interleave = 4>, #loop.space<register>>
// CHECK-NEXT: %[[L:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<128x64xf16, #loop.space<shared>>
// CHECK-NEXT: %[[R:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
// CHECK:      loop.stage %[[L]] map = <repeat(4, 1) * spatial(32, 8) * repeat(1, 8)>
// CHECK:      loop.stage %[[R]]
// CHECK:        loop.load %{{.*}}[%slice * 64 + %[[K:.*]], %line_1 floordiv 32 * 32 + %line_1 mod 8 floordiv 2 * 8 + %line_1 mod 32 floordiv 8 * 2 + %line_1 mod 2]
// CHECK:      loop.contract %accumulator, %[[L]], %[[R]] transpose_rhs {interleave = 4 : i64}
func.func @main(%x: tensor<256x512xf16>, %w: tensor<512x64xf16>) -> tensor<256x64xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<256x512xf16>, tensor<512x64xf16>) -> tensor<256x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 64, 64], warps = [8, 1], instruction = "wgmma.m64n32k16", stages = 3, split = 1, order = "row", interleave = 4>} {
  ^bb0(%xi: tensor<256x512xf16>, %wi: tensor<512x64xf16>):
    %0 = graph.matmul %xi, %wi : (tensor<256x512xf16>, tensor<512x64xf16>) -> tensor<256x64xf16>
    fused_group.yield %0 : tensor<256x64xf16>
  }
  func.return %y : tensor<256x64xf16>
}
