// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A row of a patch is 16 places of 3 channels, one piece of 48 elements: a thread brings 8 of them at
// a time. Where the patch may reach into the padding, places stand alone.

// CHECK-LABEL: loop.kernel @whole
// CHECK:       loop.stage %lhs map = <{{.*}} * repeat(1, 8)>
// CHECK:       loop.load %xi[%{{.*}}, %{{.*}} mod 14 * 16 + %{{.*}}, %{{.*}} * 16 + %[[K:.*]] floordiv 3, %[[K]] mod 3]

// CHECK-LABEL: loop.kernel @padded
// CHECK:       loop.stage %lhs map = <{{.*}} * spatial({{[0-9]+}}, {{[0-9]+}})> :
func.func @main(%x: tensor<2x224x224x3xf16>, %w: tensor<64x16x16x3xf16>) -> (tensor<2x14x14x64xf16>, tensor<2x14x14x64xf16>) {
  %0 = fused_group.group @whole(%x, %w) : (tensor<2x224x224x3xf16>, tensor<64x16x16x3xf16>) -> tensor<2x14x14x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16">} {
  ^bb0(%xi: tensor<2x224x224x3xf16>, %wi: tensor<64x16x16x3xf16>):
    %1 = graph.conv %xi, %wi strides [16, 16] padding [0, 0, 0, 0] dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : (tensor<2x224x224x3xf16>, tensor<64x16x16x3xf16>) -> tensor<2x14x14x64xf16>
    fused_group.yield %1 : tensor<2x14x14x64xf16>
  }
  %2 = fused_group.group @padded(%x, %w) : (tensor<2x224x224x3xf16>, tensor<64x16x16x3xf16>) -> tensor<2x14x14x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16">} {
  ^bb0(%xi: tensor<2x224x224x3xf16>, %wi: tensor<64x16x16x3xf16>):
    %1 = graph.conv %xi, %wi strides [16, 16] padding [1, 1, 1, 1] dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : (tensor<2x224x224x3xf16>, tensor<64x16x16x3xf16>) -> tensor<2x14x14x64xf16>
    fused_group.yield %1 : tensor<2x14x14x64xf16>
  }
  func.return %0, %2 : tensor<2x14x14x64xf16>, tensor<2x14x14x64xf16>
}
