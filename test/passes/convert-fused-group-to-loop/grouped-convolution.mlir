// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// 4 groups of 4 channels: the channels of a group read the same elements, so they are the SIMD lanes,
// and the element is loaded once for all of them; the groups are unrolled.
// CHECK:      %[[A:.*]] = loop.alloc : memref<16xf32, #loop.space<register>>
// CHECK:      loop.for %{{.*}} = 0 to 4 kind = reduction map = serial {
// CHECK-NEXT: loop.for %[[G:.*]] = 0 to 4 kind = parallel map = unroll {
// CHECK-NEXT:   loop.load %xi[0, %{{.*}}, %{{.*}}, %[[G]] * 4 + %{{.*}}]
// CHECK-NEXT:   loop.for %[[L:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:     loop.load %[[A]][%[[G]] * 4 + %[[L]]]
// CHECK-NEXT:     loop.load %wi[%{{.*}}, %{{.*}}, %{{.*}}, %[[G]] * 4 + %[[L]]]
func.func @main(%x: tensor<1x6x6x16xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x4x4x16xf32> {
  %y = fused_group.group @g(%x, %w) : (tensor<1x6x6x16xf32>, tensor<3x3x4x16xf32>) -> tensor<1x4x4x16xf32> {
  ^bb0(%xi: tensor<1x6x6x16xf32>, %wi: tensor<3x3x4x16xf32>):
    %0 = graph.conv %xi, %wi strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 4 layout channels_last weight_layout hwio : (tensor<1x6x6x16xf32>, tensor<3x3x4x16xf32>) -> tensor<1x4x4x16xf32>
    fused_group.yield %0 : tensor<1x4x4x16xf32>
  }
  func.return %y : tensor<1x4x4x16xf32>
}
