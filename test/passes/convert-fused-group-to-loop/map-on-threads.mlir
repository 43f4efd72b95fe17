// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// 8 * 76 elements are 152 vectors of 4 for 2 blocks of 128 threads; the last block has a tail.
// CHECK:      loop.for %[[B:.*]] = 0 to 2 kind = parallel map = grid {
// CHECK-NEXT:   loop.for %[[T:.*]] = 0 to 128 kind = parallel map = thread {
// CHECK-NEXT:     %[[P:.*]] = loop.index [%[[B]] * 128 + %[[T]]]
// CHECK-NEXT:     %[[N:.*]] = arith.constant 152 : index
// CHECK-NEXT:     %[[C:.*]] = arith.cmpi slt, %[[P]], %[[N]] : index
// CHECK-NEXT:     scf.if %[[C]] {
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector {
// CHECK-NEXT:         loop.load %xi[(%[[B]] * 128 + %[[T]]) floordiv 19, (%[[B]] * 128 + %[[T]]) mod 19 * 4 + %[[V]]]
// CHECK-NEXT:         loop.load %bi[(%[[B]] * 128 + %[[T]]) mod 19 * 4 + %[[V]]]
func.func @main(%x: tensor<8x76xf32>, %b: tensor<76xf32>) -> tensor<8x76xf32> {
  %y = fused_group.group @g1(%x, %b) : (tensor<8x76xf32>, tensor<76xf32>) -> tensor<8x76xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 128, vector = 4>} {
  ^bb0(%xi: tensor<8x76xf32>, %bi: tensor<76xf32>):
    %0 = graph.add %xi, %bi : (tensor<8x76xf32>, tensor<76xf32>) -> tensor<8x76xf32>
    fused_group.yield %0 : tensor<8x76xf32>
  }
  func.return %y : tensor<8x76xf32>
}
