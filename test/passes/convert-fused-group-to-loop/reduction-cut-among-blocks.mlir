// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Three blocks share the reduction of a tile, 6 slices each; the one in which the whole sum is drains it.

// CHECK:      loop.kernel @g({{.*}}%[[P:.*]]: memref<4x3x2048xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 98304>
// CHECK-NEXT:   loop.for %[[B:.*]] = 0 to 12 kind = parallel map = grid
// CHECK-NEXT:     %[[PART:.*]] = loop.index [%[[B]] mod 3]
// CHECK-NEXT:     %[[TILE:.*]] = loop.index [%[[B]] floordiv 3]
// CHECK:        loop.for %[[K:.*]] = 0 to 6 kind = reduction map = serial
// CHECK:          loop.load %xi[%{{.*}}, %[[PART]] * 384 + %[[K]] * 64 + %{{.*}}]
// CHECK:        %[[C:.*]] = gpu.counter_alloc : memref<4xi32>
// CHECK-NEXT:   %[[LAST:.*]] = loop.combine_parts %[[ACC:.*]] through %[[P]][%[[TILE]], %[[PART]]] counters %[[C]]
// CHECK-NEXT:   scf.if %[[LAST]] {
// CHECK-NEXT:     loop.drain %[[ACC]] at [0, %[[TILE]] * 64] within [32, 256]
func.func @main(%x: tensor<32x1152xf16>, %w: tensor<256x1152xf16>) -> tensor<32x256xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 64, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, split = 3, order = "row">} {
  ^bb0(%xi: tensor<32x1152xf16>, %wi: tensor<256x1152xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<32x1152xf16>, tensor<256x1152xf16>) -> tensor<32x256xf16>
    fused_group.yield %0 : tensor<32x256xf16>
  }
  func.return %y : tensor<32x256xf16>
}
