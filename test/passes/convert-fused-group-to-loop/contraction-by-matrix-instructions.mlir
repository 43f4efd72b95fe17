// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A block stages a slice of both factors, 16 bytes for a thread at a time, adds their product to its
// accumulator and drains that through the bias. All numbers of the schedule stand on the ops.

// CHECK:      loop.kernel @g
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 6 kind = parallel map = grid {
// CHECK-NEXT:     %[[ROW:.*]] = loop.index [%[[B]] floordiv 3]
// CHECK-NEXT:     %[[COLUMN:.*]] = loop.index [%[[B]] mod 3]
// CHECK-NEXT:     loop.for %[[T:.*]] = 0 to 128 kind = parallel map = thread {
// CHECK-NEXT:       %[[ACC:.*]] = loop.zero : memref<64x64xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 4)>, #loop.space<register>>
// CHECK-NEXT:       %[[X:.*]] = loop.alloc : memref<64x64xf16, #loop.space<shared>>
// CHECK-NEXT:       %[[W:.*]] = loop.alloc : memref<64x64xf16, #loop.space<shared>>
// CHECK-NEXT:       loop.for %[[K:.*]] = 0 to 8 kind = reduction map = serial attributes {pipeline = 3 : i64} {
// CHECK-NEXT:         loop.stage %[[X]] map = <repeat(4, 1) * spatial(16, 8) * repeat(1, 8)>
// CHECK-NEXT:         ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:           %[[E:.*]] = loop.load %xi[%[[ROW]] * 64 + %[[I]], %[[K]] * 64 + %[[J]]]
// CHECK-NEXT:           loop.yield %[[E]] : f32
// CHECK-NEXT:         }
// CHECK-NEXT:         loop.stage %[[W]] map = <repeat(4, 1) * spatial(16, 8) * repeat(1, 8)>
// CHECK:              loop.contract %[[ACC]], %[[X]], %[[W]] transpose_rhs :
// CHECK-NEXT:         loop.yield
// CHECK-NEXT:       }
// CHECK-NEXT:       loop.drain %[[ACC]] at [%[[ROW]] * 64, %[[COLUMN]] * 64] within [128, 192]
// CHECK-NEXT:       ^bb0(%[[M:.*]]: index, %[[N:.*]]: index, %[[V:.*]]: f32):
// CHECK-NEXT:         %[[BIAS:.*]] = loop.load %bi[%[[N]]] : memref<192xf16> -> f32
// CHECK-NEXT:         %[[S:.*]] = arith.addf %[[V]], %[[BIAS]]
// CHECK-NEXT:         loop.store %[[S]], %{{.*}}[%[[M]], %[[N]]]
func.func @main(%x: tensor<128x512xf16>, %w: tensor<192x512xf16>, %b: tensor<192xf16>) -> tensor<128x192xf16> {
  %y = fused_group.group @g(%x, %w, %b) : (tensor<128x512xf16>, tensor<192x512xf16>, tensor<192xf16>) -> tensor<128x192xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 1, order = "row">} {
  ^bb0(%xi: tensor<128x512xf16>, %wi: tensor<192x512xf16>, %bi: tensor<192xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<128x512xf16>, tensor<192x512xf16>) -> tensor<128x192xf16>
    %1 = graph.add %0, %bi : (tensor<128x192xf16>, tensor<192xf16>) -> tensor<128x192xf16>
    fused_group.yield %1 : tensor<128x192xf16>
  }
  func.return %y : tensor<128x192xf16>
}
