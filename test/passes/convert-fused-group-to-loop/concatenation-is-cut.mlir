// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The code of the two operands stands in two loops, so no element asks which operand it is from.
// CHECK:      loop.for %[[I:.*]] = 0 to 8 kind = parallel map = serial {
// CHECK-NEXT:   loop.for %[[J:.*]] = 0 to 32 kind = parallel map = vector {
// CHECK-NEXT:     loop.load %xi[%[[I]], %[[J]]]
// CHECK:          loop.store %{{.*}}, %[[Y:.*]][%[[I]], %[[J]]]
// CHECK:        loop.for %[[K:.*]] = 0 to 64 kind = parallel map = vector {
// CHECK-NEXT:     loop.load %bi[%[[I]], %[[K]]]
// CHECK:          loop.store %{{.*}}, %[[Y]][%[[I]], %[[K]] + 32]
// CHECK-NOT:  scf.if
func.func @main(%x: tensor<8x32xf32>, %b: tensor<8x64xf32>) -> tensor<8x96xf32> {
  %y = fused_group.group @g1(%x, %b) : (tensor<8x32xf32>, tensor<8x64xf32>) -> tensor<8x96xf32> {
  ^bb0(%xi: tensor<8x32xf32>, %bi: tensor<8x64xf32>):
    %0 = graph.concat %xi, %bi {axis = 1 : i64} : (tensor<8x32xf32>, tensor<8x64xf32>) -> tensor<8x96xf32>
    %1 = graph.relu %0 : tensor<8x96xf32> -> tensor<8x96xf32>
    fused_group.yield %1 : tensor<8x96xf32>
  }
  func.return %y : tensor<8x96xf32>
}
