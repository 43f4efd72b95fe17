// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// The two blocks of a cluster share the reduction of a tile; both drain it, each its rows. No scratch.

// CHECK:      loop.kernel @g(
// CHECK-SAME:   attributes {outputs = 1 : i64, threads = 128 : i64, cluster = 2 : i64}
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 8 kind = parallel map = grid
// CHECK-NEXT:     %[[PART:.*]] = loop.index [%[[B]] mod 2]
// CHECK-NEXT:     %[[TILE:.*]] = loop.index [%[[B]] floordiv 2]
// CHECK-NOT:    loop.combine_parts
// CHECK-NOT:    scf.if
// CHECK:        loop.drain %{{.*}} at [0, %[[TILE]] * 64] within [32, 256] {exchange, parts = 2 : i64}
func.func @main(%x: tensor<32x1152xf16>, %w: tensor<256x1152xf16>) -> tensor<32x256xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 2, exchange = true>} {
  ^bb0(%xi: tensor<32x1152xf16>, %wi: tensor<256x1152xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16>
    fused_group.yield %0 : tensor<32x256xf16>
  }
  func.return %y : tensor<32x256xf16>
}
