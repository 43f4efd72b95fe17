// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Lines of 133 floats begin at any place of a sector of 8. A tile has 32 places of each line from a sector on, so it
// brings 7 more lines of %x, and tiles at the ends have conditions.
// CHECK:      loop.kernel @g(%xi: memref<133x37xf32>, %[[Y:.*]]: memref<37x133xf32>)
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 15 kind = parallel map = grid {
// CHECK-NEXT:     %[[S:.*]] = loop.alloc : memref<39x17xf32, #loop.space<shared>>
// CHECK:          scf.if
// CHECK-NEXT:       loop.for %[[N:.*]] = 0 to 624 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:         loop.load %xi[%[[B]] mod 5 * 32 + %[[N]] floordiv 16 - 7, %[[B]] floordiv 5 * 16 + %[[N]] mod 16]
// CHECK:            loop.for %[[N:.*]] = 0 to 512 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:         loop.load %[[S]][%[[N]] floordiv 32 * 133 mod 8 * -1 + %[[N]] mod 32 + 7, %[[N]] floordiv 32]
// CHECK-NEXT:         loop.store %{{.*}}, %[[Y]][{{.*}}, {{.*}} + %[[N]] floordiv 32 * 133 floordiv 8 * 8 + %[[N]] mod 32]
// CHECK:          scf.if
// CHECK:            arith.cmpi sge
func.func @main(%x: tensor<133x37xf32>) -> tensor<37x133xf32> {
  %y = fused_group.group @g(%x) : (tensor<133x37xf32>) -> tensor<37x133xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, vector = 1, tile = [16, 32]>} {
  ^bb0(%xi: tensor<133x37xf32>):
    %t = graph.transpose %xi {permutation = array<i64: 1, 0>} : tensor<133x37xf32> -> tensor<37x133xf32>
    fused_group.yield %t : tensor<37x133xf32>
  }
  func.return %y : tensor<37x133xf32>
}
