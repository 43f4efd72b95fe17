// RUN: dlc-opt %s --convert-fused-group-to-loop --verify-diagnostics

// A function of elements has two algorithms of cuDNN, a convolution would have eight.
func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error@below {{schedule key algorithm should be from 0 to 1 for this group with library cudnn, is 2}}
  %0 = fused_group.group @g(%x) : (tensor<64x48xf32>) -> tensor<64x48xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 128, vector = 4, library = "cudnn", algorithm = 2>} {
  ^bb0(%a: tensor<64x48xf32>):
    %1 = graph.relu %a : tensor<64x48xf32> -> tensor<64x48xf32>
    fused_group.yield %1 : tensor<64x48xf32>
  }
  func.return %0 : tensor<64x48xf32>
}
