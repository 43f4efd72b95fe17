// RUN: dlc-opt %s --convert-fused-group-to-loop --fused-group-plan-memory | filecheck %s

// Equal groups whose results are different parts have kernels of their own. Each stores its elements where they are in
// the whole, and the launches get the same buffer.

// CHECK:       loop.kernel @g0(%{{.*}}: memref<4x8xf32>, %[[Y:.*]]: memref<4x16xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 0, 8>]}
// CHECK:         loop.store %{{.*}}, %[[Y]][%[[I:.*]], %[[J:.*]]] :
// CHECK:       loop.kernel @g1(%{{.*}}: memref<4x8xf32>, %[[Y:.*]]: memref<4x16xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 8, 16>]}
// CHECK:         loop.store %{{.*}}, %[[Y]][%[[I:.*]], %[[J:.*]] + 8] :
// CHECK:       fused_group.launch @g0(%x) {offsets = array<i64: -1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  fused_group.launch @g1(%x) {offsets = array<i64: -1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %a = fused_group.group @g0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%0: tensor<4x8xf32>):
    %1 = graph.exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %1 : tensor<4x8xf32>
  }
  %b = fused_group.group @g1(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%0: tensor<4x8xf32>):
    %1 = graph.exp %0 : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %1 : tensor<4x8xf32>
  }
  %y = graph.overlay %a, %b {axis = 1 : i64, size = 16 : i64, starts = array<i64: 0, 8>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  func.return %y : tensor<4x16xf32>
}
