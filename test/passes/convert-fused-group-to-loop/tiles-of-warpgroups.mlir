// RUN: dlc-opt %s --split-input-file --convert-fused-group-to-loop | filecheck %s

// Four warps below each other are a warpgroup, which multiplies 64 rows. The instruction reads the
// tiles where they lie, so they have its swizzle. The columns of four panels of 8 take turns.

// CHECK:      loop.zero : memref<128x64xf32, #loop.spread<instruction = "wgmma.m64n32k16", map = spatial(2, 1) * repeat(1, 2), interleave = 4>, #loop.space<register>>
// CHECK-NEXT: %[[L:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<128x64xf16, #loop.space<shared>>
// CHECK-NEXT: %[[R:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
// CHECK:      loop.stage %[[L]] map = <repeat(4, 1) * spatial(32, 8) * repeat(1, 8)>
// CHECK:      loop.stage %[[R]]
// CHECK:        loop.load %{{.*}}[%line_1 floordiv 32 * 32 + %line_1 mod 8 floordiv 2 * 8 + %line_1 mod 32 floordiv 8 * 2 + %line_1 mod 2, %slice * 64 + %place_1]
// CHECK:      loop.contract %accumulator, %[[L]], %[[R]] transpose_rhs {interleave = 4 : i64}
func.func @main(%x: tensor<256x512xf16>, %w: tensor<64x512xf16>) -> tensor<256x64xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<256x512xf16>, tensor<64x512xf16>) -> tensor<256x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 64, 64], warps = [8, 1], instruction = "wgmma.m64n32k16", stages = 3, interleave = 4>} {
  ^bb0(%xi: tensor<256x512xf16>, %wi: tensor<64x512xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<256x512xf16>, tensor<64x512xf16>) -> tensor<256x64xf16>
    fused_group.yield %0 : tensor<256x64xf16>
  }
  func.return %y : tensor<256x64xf16>
}

// -----

// A factor whose rows lie beside each other in memory is staged so, in groups of 64 rows.

// CHECK:      %[[R:.*]] = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x32x64xf16, #loop.space<shared>>
// CHECK:      loop.stage %[[R]] map = <repeat(4, 1) * spatial(8, 16) * repeat(1, 8)>
// CHECK:        loop.load %{{.*}}[%slice * 32 + %line_1, %place_1]
// CHECK:      loop.contract %accumulator, %{{.*}}, %[[R]] :
func.func @main(%x: tensor<256x512xf16>, %w: tensor<512x128xf16>) -> tensor<256x128xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<256x512xf16>, tensor<512x128xf16>) -> tensor<256x128xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 32], warps = [4, 1], instruction = "wgmma.m64n128k16", stages = 3>} {
  ^bb0(%xi: tensor<256x512xf16>, %wi: tensor<512x128xf16>):
    %0 = graph.matmul %xi, %wi : (tensor<256x512xf16>, tensor<512x128xf16>) -> tensor<256x128xf16>
    fused_group.yield %0 : tensor<256x128xf16>
  }
  func.return %y : tensor<256x128xf16>
}

// -----

// Integers are not transposed: their lines are along the reduction whichever way they lie in memory.

// CHECK:      %[[R:.*]] = loop.alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<128x64xi8, #loop.space<shared>>
// CHECK:      loop.contract %accumulator, %{{.*}}, %[[R]] transpose_rhs
func.func @main(%x: tensor<256x512xi8>, %w: tensor<512x128xi8>) -> tensor<256x128xi32> {
  %y = fused_group.group @g(%x, %w) : (tensor<256x512xi8>, tensor<512x128xi8>) -> tensor<256x128xi32> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 64], warps = [4, 1], instruction = "wgmma.m64n128k32", stages = 3>} {
  ^bb0(%xi: tensor<256x512xi8>, %wi: tensor<512x128xi8>):
    %0 = graph.matmul %xi, %wi : (tensor<256x512xi8>, tensor<512x128xi8>) -> tensor<256x128xi32>
    fused_group.yield %0 : tensor<256x128xi32>
  }
  func.return %y : tensor<256x128xi32>
}
