// RUN: dlc-opt %s --lower-to-loop | filecheck %s

// A tile of 32 rows of the result, all 48 columns of it: the rows are neighbours in %x, and lie there in
// lines of 96. Lines in shared memory are padded to an odd number of banks, and each eight lines, which the neighbours
// of a thread are in, to nine. What is added is read as it lies.
// CHECK:      loop.kernel @g(%xi: memref<2x48x96xf16>, %bi: memref<48xf16>, %[[Y:.*]]: memref<2x96x48xf16>)
// CHECK:        loop.for %[[B:.*]] = 0 to 6 kind = parallel map = grid {
// CHECK-NEXT:     %[[S:.*]] = loop.alloc : memref<6x9x34xf16, #loop.space<shared>>
// CHECK-NEXT:     loop.for %[[N:.*]] = 0 to 192 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %xi[%[[B]] floordiv 3, %[[N]] floordiv 4, %[[B]] mod 3 * 32 + %[[N]] mod 4 * 8 + %[[V]]]
// CHECK-NEXT:         loop.store %{{.*}}, %[[S]][%[[N]] floordiv 32, %[[N]] floordiv 4 mod 8, %[[N]] mod 4 * 8 + %[[V]]]
// CHECK:          loop.for %[[N:.*]] = 0 to 192 kind = parallel map = thread attributes {straight} {
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %[[S]][%[[N]] mod 6, %[[V]], %[[N]] floordiv 6]
// CHECK-NEXT:         loop.load %bi[%[[N]] mod 6 * 8 + %[[V]]]
// CHECK:              loop.store %{{.*}}, %[[Y]][%[[B]] floordiv 3, %[[B]] mod 3 * 32 + %[[N]] floordiv 6, %[[N]] mod 6 * 8 + %[[V]]]
func.func @main(%x: tensor<2x48x96xf16>, %b: tensor<48xf16>) -> tensor<2x96x48xf16> {
  %y = fused_group.group @g(%x, %b) : (tensor<2x48x96xf16>, tensor<48xf16>) -> tensor<2x96x48xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 96, vector = 8, tile = [32, 48]>} {
  ^bb0(%xi: tensor<2x48x96xf16>, %bi: tensor<48xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 0, 2, 1>} : tensor<2x48x96xf16> -> tensor<2x96x48xf16>
    %s = graph.add %t, %bi : (tensor<2x96x48xf16>, tensor<48xf16>) -> tensor<2x96x48xf16>
    fused_group.yield %s : tensor<2x96x48xf16>
  }
  func.return %y : tensor<2x96x48xf16>
}
