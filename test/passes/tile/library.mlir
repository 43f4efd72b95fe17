// RUN: dlc-opt %s --tile=arch=cpu-avx2 --split-input-file --verify-diagnostics | filecheck %s

// A library that stands in a schedule is rated: the bound and the estimate are those of its call.
// CHECK: library = "openblas">, bound = #loop.bound<time_us =
func.func @main(%x: tensor<64x48xf32>, %y: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %0 = fused_group.group @g(%x, %y) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [4, 16], lanes = 8, library = "openblas">} {
  ^bb0(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error@below {{library openblas does not compute this group of exp: OpenBLAS computes products of matrices alone}}
  %0 = fused_group.group @g(%x) : (tensor<64x48xf32>) -> tensor<64x48xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", library = "openblas">} {
  ^bb0(%a: tensor<64x48xf32>):
    %1 = graph.exp %a : tensor<64x48xf32> -> tensor<64x48xf32>
    fused_group.yield %1 : tensor<64x48xf32>
  }
  func.return %0 : tensor<64x48xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error@below {{there is no library 'mkl'; there are: cublaslt, cudnn, openblas}}
  %0 = fused_group.group @g(%x) : (tensor<64x48xf32>) -> tensor<64x48xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", library = "mkl">} {
  ^bb0(%a: tensor<64x48xf32>):
    %1 = graph.exp %a : tensor<64x48xf32> -> tensor<64x48xf32>
    fused_group.yield %1 : tensor<64x48xf32>
  }
  func.return %0 : tensor<64x48xf32>
}

// -----

func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // expected-error@below {{library openblas is for a CPU}}
  %0 = fused_group.group @g(%x) : (tensor<64x48xf32>) -> tensor<64x48xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 256, vector = 4, library = "openblas">} {
  ^bb0(%a: tensor<64x48xf32>):
    %1 = graph.exp %a : tensor<64x48xf32> -> tensor<64x48xf32>
    fused_group.yield %1 : tensor<64x48xf32>
  }
  func.return %0 : tensor<64x48xf32>
}
