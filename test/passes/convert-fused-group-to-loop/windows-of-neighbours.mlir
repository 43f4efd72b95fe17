// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Four neighbours of a thread read a line of six places for each row of their windows, then each tap
// of all of them; a tap's factor is read once.
// CHECK-LABEL: loop.kernel @together
// CHECK:      %[[SUMS:.*]] = loop.alloc : memref<32xf32, #loop.space<register>>
// CHECK:      loop.for %[[ROW:.*]] = 0 to 3 kind = reduction map = serial {
// CHECK:        %[[LINE:.*]] = loop.alloc : memref<48xf32, #loop.space<register>>
// CHECK-NEXT:   loop.for %[[P:.*]] = 0 to 6 kind = parallel map = unroll {
// CHECK-NEXT:     loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:       %[[X:.*]] = loop.load {{.*}} mod 2 * 4 + %[[P]] - 1, %[[V]]] guard [1, 2]
// CHECK-NEXT:       loop.store %[[X]], %[[LINE]][%[[P]] * 8 + %[[V]]]
// CHECK:        loop.for %[[TAP:.*]] = 0 to 3 kind = reduction map = unroll {
// CHECK-NEXT:     loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:       %[[W:.*]] = loop.load {{.*}}[%[[ROW]], %[[TAP]], 0, %[[V]]]
// CHECK-NEXT:       loop.for %[[N:.*]] = 0 to 4 kind = parallel map = unroll {
// CHECK-NEXT:         loop.load %[[LINE]][%[[TAP]] * 8 + %[[N]] * 8 + %[[V]]]
// CHECK:              loop.store {{.*}}, %[[SUMS]][%[[N]] * 8 + %[[V]]]
func.func @main(%x: tensor<1x8x8x8xf16>, %w: tensor<3x3x1x8xf16>) -> tensor<1x8x8x8xf16> {
  %y = fused_group.group @together(%x, %w) : (tensor<1x8x8x8xf16>, tensor<3x3x1x8xf16>) -> tensor<1x8x8x8xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 16, vector = 8, columns = 4>} {
  ^bb0(%a: tensor<1x8x8x8xf16>, %b: tensor<3x3x1x8xf16>):
    %0 = graph.conv %a, %b strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 8 layout channels_last weight_layout hwio : (tensor<1x8x8x8xf16>, tensor<3x3x1x8xf16>) -> tensor<1x8x8x8xf16>
    fused_group.yield %0 : tensor<1x8x8x8xf16>
  }
  func.return %y : tensor<1x8x8x8xf16>
}
