// RUN: dlc-opt %s --convert-fused-group-to-loop | filecheck %s

// Tensor copies bring both factors in tf32: the region of a stage says that elements are rounded, and the copies will do it.

// CHECK-LABEL: loop.kernel @boxes
// CHECK:         loop.stage tensor %lhs
// CHECK:           loop.load
// CHECK-NEXT:      gpu.cvt_tf32
// CHECK:         loop.stage tensor %rhs
// CHECK:           loop.load
// CHECK-NEXT:      gpu.cvt_tf32
func.func @main(%x: tensor<60x512xf32>, %w: tensor<64x512xf32>) -> tensor<60x64xf32> {
  %y = fused_group.group @boxes(%x, %w) : (tensor<60x512xf32>, tensor<64x512xf32>) -> tensor<60x64xf32> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 32], warps = [4, 1], instruction = "wgmma.m64n64k8", stages = 3, interleave = 2, copies = "tensor">} {
  ^bb0(%xi: tensor<60x512xf32>, %wi: tensor<64x512xf32>):
    %0 = graph.matmul %xi, %wi transpose_rhs precision tf32 : (tensor<60x512xf32>, tensor<64x512xf32>) -> tensor<60x64xf32>
    fused_group.yield %0 : tensor<60x64xf32>
  }
  func.return %y : tensor<60x64xf32>
}
