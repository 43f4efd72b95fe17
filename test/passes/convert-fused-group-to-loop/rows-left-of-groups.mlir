// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Five rows of three tiles, two rows at a time: the twelve tiles of two groups column by column, then the row that is
// left. There is no block without a tile. The minimum says to passes that no row is beyond the last one.

// CHECK:      loop.for %block = 0 to 15 kind = parallel map = grid {
// CHECK-NEXT:   %[[LEFT:.*]] = loop.index [%block - 12]
// CHECK:        %[[BEFORE:.*]] = arith.cmpi slt, %[[LEFT]]
// CHECK-NEXT:   %[[ROW:.*]] = loop.index [%block floordiv 6 * 2 + %block mod 2]
// CHECK:        %[[R:.*]] = arith.select %[[BEFORE]], %[[ROW]], %{{.*}} : index
// CHECK:        %tile_row = arith.minsi %[[R]], %{{.*}} : index
// CHECK-NEXT:   %[[COLUMN:.*]] = loop.index [%block mod 6 floordiv 2]
// CHECK:        %[[C:.*]] = arith.select %[[BEFORE]], %[[COLUMN]], %{{.*}} : index
// CHECK:        %tile_column = arith.minsi %[[C]], %{{.*}} : index
// CHECK:        loop.load %xi[%tile_row * 32 + %{{.*}}, %{{.*}}]
func.func @main(%x: tensor<160x64xf16>, %w: tensor<96x64xf16>) -> tensor<160x96xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<160x64xf16>, tensor<96x64xf16>) -> tensor<160x96xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, order = "grouped<2>">} {
  ^bb0(%xi: tensor<160x64xf16>, %wi: tensor<96x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<160x64xf16>, tensor<96x64xf16>) -> tensor<160x96xf16>
    fused_group.yield %0 : tensor<160x96xf16>
  }
  func.return %y : tensor<160x96xf16>
}
