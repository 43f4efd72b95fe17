// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics | filecheck %s

// A library is rated: the bound and the estimate are those of the call.
// CHECK: library = "cublaslt">, bound = #loop.bound<time_us =
func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt">} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{library cublaslt does not compute this group of matmul, exp: cuBLASLt computes products of matrices, with a bias and a relu behind them}}
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt">} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    %2 = graph.exp %1 : tensor<64x32xf32> -> tensor<64x32xf32>
    fused_group.yield %2 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}
