// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{schedule key algorithm should be an integer from 0, is -1}}
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt", algorithm = -1>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{schedule key algorithm should be an integer from 0, is "fast"}}
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt", algorithm = "fast">} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}
