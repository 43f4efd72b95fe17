// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s
// RUN: dlc-opt %s --convert-fused-group-to-loop --loop-assign-stages --loop-hoist-indices | filecheck %s --check-prefix=ASSIGNED

// The region of a stage says where a row of the product is in the image and where a slice is in the
// window; what lies past the last row, past the last slice or in the padding is zero and is not read.
// With the mapping of a thread written in, a row's place is found before the loop over the slices.

// CHECK:      loop.stage %{{.*}} map = <repeat(2, 1) * spatial(32, 4) * repeat(1, 8)>
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:   %[[H:.*]] = loop.index [(%[[B:.*]] * 64 + %[[I]]) floordiv 9]
// CHECK-NEXT:   %[[W:.*]] = loop.index [(%[[B]] * 64 + %[[I]]) mod 9]
// CHECK-NEXT:   %[[KH:.*]] = loop.index [(%[[K:.*]] * 32 + %[[J]]) floordiv 48]
// CHECK:        %[[ROW:.*]] = arith.cmpi slt
// CHECK:        %[[SLICE:.*]] = arith.cmpi slt
// CHECK:        %[[IN:.*]] = arith.andi %[[ROW]], %[[SLICE]]
// CHECK:        scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:     loop.load %xi[0, %[[H]] + %[[KH]] - 1, %[[W]] + %{{.*}} - 1, %{{.*}}] guard [1, 2] fill 0.000000e+00 : f32
// ASSIGNED:      loop.index [(%[[B:.*]] * 64 + %[[T:.*]] floordiv 4) floordiv 9]
// ASSIGNED:      loop.for %[[K:.*]] = 0 to 5 kind = reduction
// ASSIGNED:        gpu.cp_async %xi[0, %{{.*}} + %{{.*}} - 1, %{{.*}} + %{{.*}} - 1, %{{.*}}] to {{.*}} if %{{.*}} {bytes = 16 : i64}
func.func @main(%x: tensor<1x9x9x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<1x9x9x16xf16>, tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 2, split = 1, order = "row">} {
  ^bb0(%xi: tensor<1x9x9x16xf16>, %wi: tensor<32x3x3x16xf16>):
    %0 = graph.conv %xi, %wi strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<1x9x9x16xf16>, tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16>
    fused_group.yield %0 : tensor<1x9x9x32xf16>
  }
  func.return %y : tensor<1x9x9x32xf16>
}
