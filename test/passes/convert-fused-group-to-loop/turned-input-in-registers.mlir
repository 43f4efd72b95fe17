// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// The three channels of a pixel lie beside each other in %x, and a thread has all three: it reads those of its four
// pixels as they lie, and stores four neighbours of the result for each channel. What is added is read as it lies.
// CHECK:      loop.kernel @g(%xi: memref<2x40x3xf16>, %bi: memref<40xf16>, %[[Y:.*]]: memref<2x3x40xf16>)
// CHECK:          %[[R:.*]] = loop.alloc : memref<12xf16, #loop.space<register>>
// CHECK-NEXT:     loop.for %[[V:.*]] = 0 to 12 kind = parallel map = vector {
// CHECK-NEXT:       loop.load %xi[%{{.*}}, %{{.*}} mod 10 * 4 + %[[V]] floordiv 3, %[[V]] mod 3]
// CHECK-NEXT:       loop.store %{{.*}}, %[[R]][%[[V]]]
// CHECK:          loop.for %[[C:.*]] = 0 to 3 kind = parallel map = unroll {
// CHECK-NEXT:       loop.for %[[L:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %[[R]][%[[L]] * 3 + %[[C]]]
// CHECK:              loop.load %bi
// CHECK:              loop.store %{{.*}}, %[[Y]][%{{.*}}, %[[C]], %{{.*}} mod 10 * 4 + %[[L]]]
func.func @main(%x: tensor<2x40x3xf16>, %b: tensor<40xf16>) -> tensor<2x3x40xf16> {
  %y = fused_group.group @g(%x, %b) : (tensor<2x40x3xf16>, tensor<40xf16>) -> tensor<2x3x40xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 3>} {
  ^bb0(%xi: tensor<2x40x3xf16>, %bi: tensor<40xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 0, 2, 1>} : tensor<2x40x3xf16> -> tensor<2x3x40xf16>
    %s = graph.add %t, %bi : (tensor<2x3x40xf16>, tensor<40xf16>) -> tensor<2x3x40xf16>
    fused_group.yield %s : tensor<2x3x40xf16>
  }
  func.return %y : tensor<2x3x40xf16>
}

// Two of three channels are no whole places: threads read what they need one by one.
// CHECK-LABEL: loop.kernel @some
// CHECK-NOT:     loop.alloc
func.func @some_places(%x: tensor<2x40x3xf16>) -> tensor<2x3x40xf16> {
  %y = fused_group.group @some(%x) : (tensor<2x40x3xf16>) -> tensor<2x3x40xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4, columns = 2>} {
  ^bb0(%xi: tensor<2x40x3xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 0, 2, 1>} : tensor<2x40x3xf16> -> tensor<2x3x40xf16>
    fused_group.yield %t : tensor<2x3x40xf16>
  }
  func.return %y : tensor<2x3x40xf16>
}
