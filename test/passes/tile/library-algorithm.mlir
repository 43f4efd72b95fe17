// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics | filecheck %s

// One of the algorithms of a library is rated: the bound and the estimate are those of the call.
// CHECK: library = "cublaslt", algorithm = 2>, bound = #loop.bound<time_us =
func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt", algorithm = 2>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

// The best algorithm is no key.
// CHECK: library = "cublaslt">, bound
func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt", algorithm = 0>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{schedule key algorithm should be from 0 to 7 for this group with library cublaslt, is 8}}
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", library = "cublaslt", algorithm = 8>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{schedule key algorithm is one of a library; name that, too}}
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], instruction = "fma", algorithm = 1>} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}
