// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// 33 elements in vectors of 4, over the ends of the lines of 11: eight of them, and one thread has what is left.
// Both accesses of elements are of neighbours. The place in a line is counted on, and begins again behind the 11th.
// CHECK:      loop.for %[[T:.*]] = 0 to 32 kind = parallel map = thread {
// CHECK:        scf.if
// CHECK:          scf.if
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK:              %[[R:.*]] = loop.index [%[[T]] * 4 mod 11 + %[[V]]]
// CHECK-NEXT:         %[[C:.*]] = arith.cmpi sge, %[[R]], %[[N:.*]] : index
// CHECK-NEXT:         %[[B:.*]] = arith.select %[[C]], %[[N]], %{{.*}} : index
// CHECK-NEXT:         %[[P:.*]] = loop.index [%[[T]] * 4 mod 11 + %[[V]] + %[[B]] * -1]
// CHECK-NEXT:         loop.load %xi[(%[[T]] * 4 + %[[V]]) floordiv 11, (%[[T]] * 4 + %[[V]]) mod 11]
// CHECK-NEXT:         loop.load %bi[%[[P]]]
// CHECK:              loop.store %{{.*}}, %{{.*}}[(%[[T]] * 4 + %[[V]]) floordiv 11, (%[[T]] * 4 + %[[V]]) mod 11]
// CHECK:          scf.if
// CHECK:            loop.load %xi[2, 10]
// CHECK:            loop.store %{{.*}}, %{{.*}}[2, 10]
func.func @main(%x: tensor<3x11xf32>, %b: tensor<11xf32>) -> tensor<3x11xf32> {
  %r = fused_group.group @g(%x, %b) : (tensor<3x11xf32>, tensor<11xf32>) -> tensor<3x11xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 32, vector = 4>} {
  ^bb0(%xi: tensor<3x11xf32>, %bi: tensor<11xf32>):
    %a = graph.add %xi, %bi : (tensor<3x11xf32>, tensor<11xf32>) -> tensor<3x11xf32>
    fused_group.yield %a : tensor<3x11xf32>
  }
  func.return %r : tensor<3x11xf32>
}
