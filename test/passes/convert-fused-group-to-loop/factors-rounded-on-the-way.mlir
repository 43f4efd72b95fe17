// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// A warpgroup's product cuts off the bits that tf32 has not: elements are rounded where they are
// staged, four by each thread at a time. What is not there stays zero.

// CHECK:      loop.stage %lhs map = <repeat(4, 1) * spatial(16, 8) * repeat(1, 4)> : memref<64x32xf32, #loop.space<shared>> {
// CHECK:        scf.if
// CHECK-NEXT:     %[[V:.*]] = loop.load %{{.*}} : memref<60x512xf32> -> f32
// CHECK-NEXT:     %[[R:.*]] = gpu.cvt_tf32 %[[V]] : f32
// CHECK-NEXT:     scf.yield %[[R]] : f32
// CHECK:      loop.stage %rhs
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   %[[V:.*]] = loop.load
// CHECK-NEXT:   %[[R:.*]] = gpu.cvt_tf32 %[[V]] : f32
// CHECK-NEXT:   loop.yield %[[R]] : f32
func.func @main(%x: tensor<60x512xf32>, %w: tensor<64x512xf32>) -> tensor<60x64xf32> {
  %y = fused_group.group @g(%x, %w) : (tensor<60x512xf32>, tensor<64x512xf32>) -> tensor<60x64xf32> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [4, 1], instruction = "wgmma.m64n64k8", stages = 3>} {
  ^bb0(%xi: tensor<60x512xf32>, %wi: tensor<64x512xf32>):
    %0 = graph.matmul %xi, %wi transpose_rhs precision tf32 : (tensor<60x512xf32>, tensor<64x512xf32>) -> tensor<60x64xf32>
    fused_group.yield %0 : tensor<60x64xf32>
  }
  func.return %y : tensor<60x64xf32>
}
