// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The lines of the rhs are staged in the order in which the instructions take its columns. Those of
// the lhs, and rows and columns of the result, are where they were.

// CHECK:      loop.zero : memref<32x64xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 4), interleave = 4>, #loop.space<register>>
// CHECK:        loop.load %xi[%[[R:.*]] * 32 + %line, %slice * 64 + %place]
// CHECK:      ^bb0(%[[L:.*]]: index, %[[P:.*]]: index):
// CHECK-NEXT:   loop.load %wi[%[[C:.*]] * 64 + %[[L]] floordiv 32 * 32 + %[[L]] mod 8 floordiv 2 * 8 + %[[L]] mod 32 floordiv 8 * 2 + %[[L]] mod 2, %slice * 64 + %[[P]]]
// CHECK:      loop.contract %{{.*}} transpose_rhs {interleave = 4 : i64} :
// CHECK:      loop.drain %{{.*}} at [%[[R]] * 32, %[[C]] * 64] within [128, 192]
// CHECK:        loop.store %{{.*}}[%row, %column]
func.func @main(%x: tensor<128x512xf16>, %w: tensor<192x512xf16>) -> tensor<128x192xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<128x512xf16>, tensor<192x512xf16>) -> tensor<128x192xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", interleave = 4>} {
  ^bb0(%xi: tensor<128x512xf16>, %wi: tensor<192x512xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<128x512xf16>, tensor<192x512xf16>) -> tensor<128x192xf16>
    fused_group.yield %0 : tensor<128x192xf16>
  }
  func.return %y : tensor<128x192xf16>
}
