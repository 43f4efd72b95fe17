// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A place of the line holds the eight channels of a thread's two groups; each of its results reads the
// four of its own. The weight is packed, so that the factors of eight results lie together.
// CHECK-LABEL: loop.kernel @groups(%a: memref<1x8x8x8xf16>, %{{.*}}: memref<3x3x4x8xf16>
// CHECK:      loop.for %[[ROW:.*]] = 0 to 3 kind = reduction map = serial {
// CHECK:        %[[LINE:.*]] = loop.alloc : memref<48xf32, #loop.space<register>>
// CHECK:        loop.for %[[TAP:.*]] = 0 to 3 kind = reduction map = unroll {
// CHECK-NEXT:     loop.for %[[I:.*]] = 0 to 4 kind = reduction map = unroll {
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %{{.*}}[%[[ROW]], %[[TAP]], %[[I]], %[[V]]] : memref<3x3x4x8xf16>
// CHECK-NEXT:         loop.for %[[N:.*]] = 0 to 4 kind = parallel map = unroll {
// CHECK-NEXT:           loop.load %[[LINE]][%[[N]] * 8 + %[[TAP]] * 8 + %[[V]] floordiv 4 * 4 + %[[I]]]
func.func @main(%x: tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> {
  %w = graph.weight @w : tensor<8x3x3x4xf16>
  %y = fused_group.group @groups(%x, %w) : (tensor<1x8x8x8xf16>, tensor<8x3x3x4xf16>) -> tensor<1x8x8x8xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 16, vector = 8, columns = 4>} {
  ^bb0(%a: tensor<1x8x8x8xf16>, %b: tensor<8x3x3x4xf16>):
    %0 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 2 layout channels_last weight_layout ohwi : (tensor<1x8x8x8xf16>, tensor<8x3x3x4xf16>) -> tensor<1x8x8x8xf16>
    fused_group.yield %0 : tensor<1x8x8x8xf16>
  }
  func.return %y : tensor<1x8x8x8xf16>
}
