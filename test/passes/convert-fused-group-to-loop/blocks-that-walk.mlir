// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Four blocks take fifteen tiles, each every fourth one; what they should do with their warps stands on the loop over
// slices. The mapping of the copies is for the 64 threads that bring slices, that of the sums for the 128 that multiply.

// CHECK:      loop.kernel @g({{.*}}threads = 128 : i64}
// CHECK-NEXT:   loop.for %block = 0 to 4 kind = parallel map = grid {
// CHECK-NEXT:     loop.for %thread = 0 to 128 kind = parallel map = thread {
// CHECK-NEXT:       %[[TILES:.*]] = arith.constant 15 : index
// CHECK-NEXT:       %[[BLOCKS:.*]] = arith.constant 4 : index
// CHECK-NEXT:       scf.for %tile = %block to %[[TILES]] step %[[BLOCKS]] {
// CHECK:              loop.for %slice = 0 to 2 kind = reduction map = serial attributes {pipeline = 3 : i64, producers = 2 : i64} {
// CHECK-NEXT:           loop.stage %lhs map = <repeat(2, 1) * spatial(16, 4) * repeat(1, 8)>
func.func @main(%x: tensor<160x64xf16>, %w: tensor<96x64xf16>) -> tensor<160x96xf16> {
  %y = fused_group.group @g(%x, %w) : (tensor<160x64xf16>, tensor<96x64xf16>) -> tensor<160x96xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [32, 32, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 2, blocks = 4>} {
  ^bb0(%xi: tensor<160x64xf16>, %wi: tensor<96x64xf16>):
    %0 = graph.matmul %xi, %wi transpose_rhs : (tensor<160x64xf16>, tensor<96x64xf16>) -> tensor<160x96xf16>
    fused_group.yield %0 : tensor<160x96xf16>
  }
  func.return %y : tensor<160x96xf16>
}
