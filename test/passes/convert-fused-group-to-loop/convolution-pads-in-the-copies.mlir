// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A row's place in the image is found once, before the loop; what lies in the padding, past the
// last row or past the last slice is not read and is zero in shared memory.

// CHECK:      loop.kernel @g
// CHECK:      loop.index [(%[[B:.*]] * 64 + %[[T:.*]] floordiv 4) floordiv 9]
// CHECK:      loop.for %[[K:.*]] = 0 to 5 kind = sequential
// CHECK:        gpu.cp_async %xi[0, %{{.*}} + %{{.*}} - 1, %{{.*}} + %{{.*}} - 1, %{{.*}}] to {{.*}} if %{{.*}} {bytes = 16 : i64}
func.func @main(%x: tensor<1x9x9x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<1x9x9x16xf16>, tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", tile = [64, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 2, split = 1, order = "row">} {
  ^bb0(%xi: tensor<1x9x9x16xf16>, %wi: tensor<32x3x3x16xf16>):
    %0 = graph.conv %xi, %wi strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] layout channels_last weight_layout ohwi : (tensor<1x9x9x16xf16>, tensor<32x3x3x16xf16>) -> tensor<1x9x9x32xf16>
    fused_group.yield %0 : tensor<1x9x9x32xf16>
  }
  func.return %y : tensor<1x9x9x32xf16>
}
