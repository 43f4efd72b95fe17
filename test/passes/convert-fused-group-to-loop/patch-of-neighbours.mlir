// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Two lines of four results each, twice as fine as %x, read three lines of four places together: the two places that
// are never outside of a line as neighbours, those at the ends taken to the nearest element. Taps come from registers.
// CHECK:      loop.kernel @g(%xi: memref<6x4xf32>, %[[Y:.*]]: memref<12x8xf32>)
// CHECK:          %[[P:.*]] = loop.alloc : memref<12xf32, #loop.space<register>>
// CHECK:          loop.for %[[L:.*]] = 0 to 3 kind = parallel map = unroll {
// CHECK:            loop.load %xi[%{{.*}}, %{{.*}}]
// CHECK-NEXT:       loop.store %{{.*}}, %[[P]][%[[L]] * 4]
// CHECK:            loop.store %{{.*}}, %[[P]][%[[L]] * 4 + 3]
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 2 kind = parallel map = vector {
// CHECK:              loop.load %xi[%{{.*}}, %{{.*}} * 2 + %[[V]]]
// CHECK-NEXT:         loop.store %{{.*}}, %[[P]][%[[L]] * 4 + %[[V]] + 1]
// CHECK:          loop.for %[[S:.*]] = 0 to 2 kind = reduction map = unroll {
// CHECK-NEXT:       loop.for %[[T:.*]] = 0 to 2 kind = reduction map = unroll {
// CHECK-NEXT:         loop.for %[[I:.*]] = 0 to 2 kind = parallel map = unroll {
// CHECK:                loop.for %[[J:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK:                  loop.load %[[P]][(%[[I]] + 1) floordiv 2 * 4 + %[[S]] * 4 + (%[[J]] + 1) floordiv 2 + %[[T]]]
func.func @main(%x: tensor<6x4xf32>) -> tensor<12x8xf32> {
  %y = fused_group.group @g(%x) : (tensor<6x4xf32>) -> tensor<12x8xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 2>} {
  ^bb0(%xi: tensor<6x4xf32>):
    %w = graph.constant dense<[[0.25, 0.75], [0.75, 0.25]]> : tensor<2x2xf32>
    %r = graph.resample %xi weights %w, %w {axes = array<i64: 0, 1>, sizes = array<i64: 12, 8>, lines = array<i64: 1, -1, 2, 1, -1, 2>} : tensor<6x4xf32>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<12x8xf32>
    fused_group.yield %r : tensor<12x8xf32>
  }
  func.return %y : tensor<12x8xf32>
}

// Groups of four results of three times as many begin at other places of a patch each: no patch.
// CHECK-LABEL: loop.kernel @uneven
// CHECK-NOT:     loop.load %xi
// CHECK:         kind = reduction
// CHECK:         loop.load %xi
func.func @main_uneven(%x: tensor<6x4xf32>) -> tensor<6x12xf32> {
  %y = fused_group.group @uneven(%x) : (tensor<6x4xf32>) -> tensor<6x12xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 2>} {
  ^bb0(%xi: tensor<6x4xf32>):
    %w = graph.constant dense<[[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]> : tensor<3x2xf32>
    %r = graph.resample %xi weights %w {axes = array<i64: 1>, sizes = array<i64: 12>, lines = array<i64: 1, -1, 3>} : tensor<6x4xf32>, tensor<3x2xf32> -> tensor<6x12xf32>
    fused_group.yield %r : tensor<6x12xf32>
  }
  func.return %y : tensor<6x12xf32>
}
