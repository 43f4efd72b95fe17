// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// Lines of 133 halves begin at any place of a sector of 16. A tile has 32 places of each line from a sector on, so it
// brings 15 more lines of %x, and tiles at the ends have conditions. Two halves fill a bank: lines in shared memory are
// an odd number of halves apart.
// CHECK:      loop.kernel @g(%xi: memref<133x37xf16>, %[[Y:.*]]: memref<37x133xf16>)
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 15 kind = parallel map = grid {
// CHECK-NEXT:     %[[S:.*]] = loop.alloc : memref<47x17xf16, #loop.space<shared>>
// CHECK:          scf.if
// CHECK-NEXT:       loop.for %[[N:.*]] = 0 to 752 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:         loop.load %xi[%[[B]] mod 5 * 32 + %[[N]] floordiv 16 - 15, %[[B]] floordiv 5 * 16 + %[[N]] mod 16]
// CHECK:            loop.for %[[N:.*]] = 0 to 256 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:         loop.for %[[V:.*]] = 0 to 2 kind = parallel map = vector {
// CHECK-NEXT:           loop.load %[[S]][%[[N]] mod 16 * 2 + %[[N]] floordiv 16 * 133 mod 16 * -1 + %[[V]] + 15, %[[N]] floordiv 16]
// CHECK-NEXT:           loop.store %{{.*}}, %[[Y]][{{.*}}, {{.*}} + %[[N]] floordiv 16 * 133 floordiv 16 * 16 + %[[N]] mod 16 * 2 + %[[V]]]
// CHECK:          scf.if
// CHECK:            arith.cmpi sge
func.func @main(%x: tensor<133x37xf16>) -> tensor<37x133xf16> {
  %y = fused_group.group @g(%x) : (tensor<133x37xf16>) -> tensor<37x133xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, vector = 2, tile = [16, 32]>} {
  ^bb0(%xi: tensor<133x37xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 1, 0>} : tensor<133x37xf16> -> tensor<37x133xf16>
    fused_group.yield %t : tensor<37x133xf16>
  }
  func.return %y : tensor<37x133xf16>
}
