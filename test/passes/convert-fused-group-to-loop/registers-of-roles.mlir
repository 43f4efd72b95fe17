// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// 128 threads that bring slices keep 40 registers each and leave 65536 - 128 * 40 to the 128 others, who can have 248. There are fewer
// tiles than blocks: a block for each tile is enough.

// CHECK:      loop.for %block = 0 to 3 kind = parallel map = grid {
// CHECK:      loop.for %slice = 0 to 2 kind = reduction map = serial attributes {pipeline = 3 : i64, producers = 4 : i64, registers = array<i64: 248, 40>} {
func.func @main(%x: tensor<32x64xf16>, %w: tensor<96x64xf16>) -> tensor<32x96xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<32x64xf16>, tensor<96x64xf16>) -> tensor<32x96xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 4, producer_registers = 40, blocks = 50>} {
  ^bb0(%xi: tensor<32x64xf16>, %wi: tensor<96x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<32x64xf16>, tensor<96x64xf16>) -> tensor<32x96xf16>
    fused_group.yield %0 : tensor<32x96xf16>
  }
  func.return %y : tensor<32x96xf16>
}
