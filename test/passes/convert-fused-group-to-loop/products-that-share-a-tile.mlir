// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// 8 groups of 16 channels, 4 of which share a tile: a line of the lhs has the 16 channels of each at one tap, which
// lie together in memory; the rhs has the channels of its own group only.

// CHECK:      loop.for %block = 0 to 2
// CHECK:      %lhs = loop.alloc : memref<64x64xf16, #loop.space<shared>>
// CHECK-NEXT: %rhs = loop.alloc : memref<64x16xf16, #loop.space<shared>>
// CHECK-NEXT: loop.for %slice = 0 to 9
// CHECK:        %[[K:.*]] = loop.index [%place mod 16]
// CHECK:        loop.load %a[0, {{.*}}, %block * 64 + %place floordiv 16 * 16 + %[[K]]] guard [1, 2]
// CHECK:        loop.load %b[%block * 64 + %line_1 floordiv 16 * 16 + {{.*}}, %slice floordiv 3, %slice mod 3, %place_1]
// CHECK:        loop.contract %accumulator, %lhs, %rhs transpose_rhs {interleave = 2 : i64, groups = 4 : i64}
// CHECK:      loop.store %{{.*}}, %{{.*}}[0, %{{.*}}, %{{.*}}, %block * 64 + %column]
func.func @main(%x: tensor<1x6x6x128xf16>, %w: tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> {
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 1], instruction = "mma.m16n8k16", stages = 2, interleave = 2, groups = 4>} {
  ^bb0(%a: tensor<1x6x6x128xf16>, %b: tensor<128x3x3x16xf16>):
    %1 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout ohwi : (tensor<1x6x6x128xf16>, tensor<128x3x3x16xf16>) -> tensor<1x6x6x128xf16>
    fused_group.yield %1 : tensor<1x6x6x128xf16>
  }
  func.return %0 : tensor<1x6x6x128xf16>
}
