// RUN: dlc-opt %s --lower-to-loop | filecheck %s
// RUN: dlc-opt %s --lower-to-loop --lower-to-gpu=arch=sm_90a | filecheck %s --check-prefix=GPU

// Lines of 37 halves of %x begin anywhere between multiples of 8. Three vectors of 8 hold 16 halves of a line wherever it
// begins, so 63 threads bring 21 of the tile's 47 lines in a round; lines that are not there are replaced by the nearest
// one. In shared memory lines are 4 * 8 + 5 apart, as far from a multiple as 37. Only where a vector of the last line is
// beyond the end of %x (at 615 * 8) elements come one by one.
// CHECK:      loop.kernel @g(%xi: memref<133x37xf16>, %[[Y:.*]]: memref<37x133xf16>)
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 15 kind = parallel map = grid {
// CHECK-NEXT:     %[[S:.*]] = loop.alloc : memref<1747xf16, #loop.space<shared>>
// CHECK-NEXT:     %[[K:.*]] = loop.index [5]
// CHECK-NEXT:     %[[F:.*]] = loop.index [%[[B]] mod 5 * 32 + 31]
// CHECK-NEXT:     %[[M:.*]] = arith.constant 132 : index
// CHECK-NEXT:     %[[LAST:.*]] = arith.minsi %[[F]], %[[M]] : index
// CHECK-NEXT:     %[[E:.*]] = loop.index [%[[B]] floordiv 5 * 2 + %[[LAST]] * 37 floordiv 8 + 3]
// CHECK-NEXT:     %[[L:.*]] = arith.constant 615 : index
// CHECK-NEXT:     arith.cmpi sle, %[[E]], %[[L]] : index
// CHECK-NEXT:     scf.if
// CHECK-NEXT:       loop.for %[[N:.*]] = 0 to 192 kind = parallel map = thread attributes {straight} {
// CHECK:              %[[R:.*]] = loop.alloc : memref<8xf16, #loop.space<register>>
// CHECK-NEXT:         loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:           loop.load %xi[(%[[B]] floordiv 5 * 16 + %[[N]] mod 64 mod 3 * 8 + %{{.*}} * 37 floordiv 8 * 8 + %[[V]]) floordiv 37, {{.*}}]
// CHECK:              arith.cmpi slt
// CHECK:              arith.cmpi slt
// CHECK:                loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK:                  loop.store %{{.*}}, %[[S]][(%[[N]] floordiv 64 * 777 + %{{.*}} * 37 + %[[K]]) floordiv 8 * 8 + %[[N]] mod 64 mod 3 * 8 + %[[V]]]
// CHECK:            loop.store %{{.*}}, %[[S]][%[[N:.*]] floordiv 16 * 37 + %[[N]] mod 16 + %[[K]]]
// CHECK:            loop.load %[[S]][{{.*}} + %[[K]] + 555]

// No two threads write one place, so no barrier is between the rounds.
// GPU:          gpu.kernel @g
// GPU:          {{.*}} + %{{.*}} mod 3 * 8] {elements = 8 : i64}
// GPU-NOT:      gpu.barrier
// GPU:          {{.*}} + 776] {elements = 8 : i64}
// GPU-NOT:      gpu.barrier
// GPU:          {{.*}} + 1552] {elements = 8 : i64}
// GPU:          gpu.barrier
func.func @main(%x: tensor<133x37xf16>) -> tensor<37x133xf16> {
  %y = fused_group.group @g(%x) : (tensor<133x37xf16>) -> tensor<37x133xf16> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, vector = 2, tile = [16, 32]>} {
  ^bb0(%xi: tensor<133x37xf16>):
    %t = graph.transpose %xi {permutation = array<i64: 1, 0>} : tensor<133x37xf16> -> tensor<37x133xf16>
    fused_group.yield %t : tensor<37x133xf16>
  }
  func.return %y : tensor<37x133xf16>
}
