// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Images whose channels lie last only for the convolution: neighbours in memory are neighbours in a
// row of the image, so these stand along the lines of the staged tile, 8 of them in one copy. Where
// the lhs is computed, channels stand along the lines, as the convolution has them.

// CHECK-LABEL: loop.kernel @moved
// CHECK:       %lhs = loop.alloc : memref<32x64xf16
// CHECK:       loop.stage %lhs map = <{{.*}} * repeat(1, 8)>
// CHECK-NEXT:  (%line: index, %place: index)
// CHECK:       loop.load %x{{.*}}, %line, %{{.*}} floordiv 8, %{{.*}} mod 8]
// CHECK:       loop.contract %accumulator, %lhs, %rhs transpose_lhs transpose_rhs

// CHECK-LABEL: loop.kernel @computed
// CHECK:       %lhs = loop.alloc : memref<64x32xf16
// CHECK:       loop.contract %accumulator, %lhs, %rhs transpose_rhs
func.func @main(%x: tensor<2x32x8x8xf16>, %w: tensor<64x1x1x32xf16>) -> (tensor<2x8x8x64xf16>, tensor<2x8x8x64xf16>) {
  %0 = fused_group.group @moved(%x, %w) : (tensor<2x32x8x8xf16>, tensor<64x1x1x32xf16>) -> tensor<2x8x8x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16">} {
  ^bb0(%xi: tensor<2x32x8x8xf16>, %wi: tensor<64x1x1x32xf16>):
    %1 = graph.transpose %xi {permutation = array<i64: 0, 2, 3, 1>} : tensor<2x32x8x8xf16> -> tensor<2x8x8x32xf16>
    %2 = graph.conv %1, %wi strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : (tensor<2x8x8x32xf16>, tensor<64x1x1x32xf16>) -> tensor<2x8x8x64xf16>
    fused_group.yield %2 : tensor<2x8x8x64xf16>
  }
  %3 = fused_group.group @computed(%x, %w) : (tensor<2x32x8x8xf16>, tensor<64x1x1x32xf16>) -> tensor<2x8x8x64xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16">} {
  ^bb0(%xi: tensor<2x32x8x8xf16>, %wi: tensor<64x1x1x32xf16>):
    %1 = graph.relu %xi : tensor<2x32x8x8xf16> -> tensor<2x32x8x8xf16>
    %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : tensor<2x32x8x8xf16> -> tensor<2x8x8x32xf16>
    %4 = graph.conv %2, %wi strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : (tensor<2x8x8x32xf16>, tensor<64x1x1x32xf16>) -> tensor<2x8x8x64xf16>
    fused_group.yield %4 : tensor<2x8x8x64xf16>
  }
  func.return %0, %3 : tensor<2x8x8x64xf16>, tensor<2x8x8x64xf16>
}
