// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Lines of 6 among vectors of 4: two neighbours are in a line both or not, and are read together. What carries over may
// end a line of the axis before it. All four are stored at once.
// CHECK-LABEL: loop.kernel @g
// CHECK:      %[[KEPT:.*]] = loop.alloc : memref<4xf32, #loop.space<register>>
// CHECK-NEXT: loop.for %[[U:.*]] = 0 to 2 kind = parallel map = unroll {
// CHECK-NEXT:   loop.for %[[V:.*]] = 0 to 2 kind = parallel map = vector {
// CHECK:          %[[R:.*]] = loop.index [%[[T:.*]] * 2 mod 3 * 2 + %[[U]] * 2]
// CHECK-NEXT:     %[[C:.*]] = arith.cmpi sge, %[[R]], %[[SIX:.*]] : index
// CHECK-NEXT:     %[[B:.*]] = arith.select %[[C]], %[[SIX]], %{{.*}} : index
// CHECK-NEXT:     %[[ONE:.*]] = arith.select %[[C]], %{{.*}}, %{{.*}} : index
// CHECK-NEXT:     %[[X:.*]] = loop.index [%[[T]] * 2 mod 3 * 2 + %[[U]] * 2 + %[[V]] + %[[B]] * -1]
// CHECK:          %[[S:.*]] = loop.index [%[[T]] * 2 floordiv 3 mod 5 + %[[ONE]]]
// CHECK-NEXT:     arith.cmpi sge, %[[S]], %{{.*}} : index
// CHECK:          loop.load %xi[%{{.*}}, %{{.*}} - 1, %[[X]] - 1] guard [1, 2]
// CHECK-NEXT:     loop.store %{{.*}}, %[[KEPT]][%[[U]] * 2 + %[[V]]]
// CHECK:      loop.for %[[W:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:   loop.load %[[KEPT]][%[[W]]]
// CHECK-NEXT:   loop.store %{{.*}}, %0[(%[[T]] * 4 + %[[W]]) floordiv 30, (%[[T]] * 4 + %[[W]]) floordiv 6 mod 5, (%[[T]] * 4 + %[[W]]) mod 6]
func.func @padded(%x: tensor<4x3x4xf32>) -> tensor<4x5x6xf32> {
  %r = fused_group.group @g(%x) : (tensor<4x3x4xf32>) -> tensor<4x5x6xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<4x3x4xf32>):
    %a = graph.pad %xi {low = array<i64: 0, 1, 1>, high = array<i64: 0, 1, 1>, mode = "constant", value = 0.0 : f32} : tensor<4x3x4xf32> -> tensor<4x5x6xf32>
    fused_group.yield %a : tensor<4x5x6xf32>
  }
  func.return %r : tensor<4x5x6xf32>
}

// A vector of four may have neighbours of three lines of two: each place is divided.
// CHECK-LABEL: loop.kernel @h
// CHECK:      loop.load %{{.*}}[(%[[T:.*]] * 4 + %[[V:.*]]) mod 3]
func.func @short(%x: tensor<8x3xf32>, %b: tensor<3xf32>) -> tensor<8x3xf32> {
  %r = fused_group.group @h(%x, %b) : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<8x3xf32>, %bi: tensor<3xf32>):
    %a = graph.add %xi, %bi : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
    fused_group.yield %a : tensor<8x3xf32>
  }
  func.return %r : tensor<8x3xf32>
}
