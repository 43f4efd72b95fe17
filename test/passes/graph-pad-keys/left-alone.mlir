// RUN: dlc-opt %s --graph-pad-keys=arch=sm_90a | filecheck %s
// RUN: dlc-opt %S/keys.mlir --graph-pad-keys=arch=cpu-avx2 | filecheck %s
// CHECK-NOT: graph.pad

// Rows of 200 begin at 16 bytes; with six more than 50 the products take as long.
func.func @sizes(%q: tensor<50x64xf32>, %k: tensor<200x64xf32>, %v: tensor<200x64xf32>, %l: tensor<50x64xf32>) -> (tensor<50x64xf32>, tensor<50x64xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<50x64xf32>, tensor<200x64xf32>) -> tensor<50x200xf32>
  %p = graph.softmax %s axis 1 : tensor<50x200xf32> -> tensor<50x200xf32>
  %y = graph.matmul %p, %v : (tensor<50x200xf32>, tensor<200x64xf32>) -> tensor<50x64xf32>
  %t = graph.matmul %q, %l transpose_rhs : (tensor<50x64xf32>, tensor<50x64xf32>) -> tensor<50x50xf32>
  %r = graph.softmax %t axis 1 : tensor<50x50xf32> -> tensor<50x50xf32>
  %z = graph.matmul %r, %l : (tensor<50x50xf32>, tensor<50x64xf32>) -> tensor<50x64xf32>
  func.return %y, %z : tensor<50x64xf32>, tensor<50x64xf32>
}

// Others need the weights, or the scores, as they are.
func.func @read_elsewhere(%q: tensor<50x64xf32>, %k: tensor<197x64xf32>) -> (tensor<50x64xf32>, tensor<50x197xf32>, tensor<50x64xf32>, tensor<50x197xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<50x64xf32>, tensor<197x64xf32>) -> tensor<50x197xf32>
  %p = graph.softmax %s axis 1 : tensor<50x197xf32> -> tensor<50x197xf32>
  %y = graph.matmul %p, %k : (tensor<50x197xf32>, tensor<197x64xf32>) -> tensor<50x64xf32>
  %t = graph.matmul %q, %k transpose_rhs : (tensor<50x64xf32>, tensor<197x64xf32>) -> tensor<50x197xf32>
  %r = graph.softmax %t axis 1 : tensor<50x197xf32> -> tensor<50x197xf32>
  %z = graph.matmul %r, %k : (tensor<50x197xf32>, tensor<197x64xf32>) -> tensor<50x64xf32>
  func.return %y, %p, %z, %t : tensor<50x64xf32>, tensor<50x197xf32>, tensor<50x64xf32>, tensor<50x197xf32>
}

// Weights that are the rhs, that lie along the other axis, or that are normalised along it.
func.func @other_ways(%q: tensor<197x64xf32>, %k: tensor<197x64xf32>, %l: tensor<64x197xf32>) -> (tensor<64x197xf32>, tensor<197x64xf32>, tensor<197x64xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<197x64xf32>, tensor<197x64xf32>) -> tensor<197x197xf32>
  %p = graph.softmax %s axis 1 : tensor<197x197xf32> -> tensor<197x197xf32>
  %y = graph.matmul %l, %p : (tensor<64x197xf32>, tensor<197x197xf32>) -> tensor<64x197xf32>
  %t = graph.matmul %k, %q transpose_rhs : (tensor<197x64xf32>, tensor<197x64xf32>) -> tensor<197x197xf32>
  %r = graph.softmax %t axis 1 : tensor<197x197xf32> -> tensor<197x197xf32>
  %z = graph.matmul %r, %k transpose_lhs : (tensor<197x197xf32>, tensor<197x64xf32>) -> tensor<197x64xf32>
  %u = graph.matmul %k, %k transpose_rhs : (tensor<197x64xf32>, tensor<197x64xf32>) -> tensor<197x197xf32>
  %o = graph.softmax %u axis 0 : tensor<197x197xf32> -> tensor<197x197xf32>
  %x = graph.matmul %o, %k : (tensor<197x197xf32>, tensor<197x64xf32>) -> tensor<197x64xf32>
  func.return %y, %z, %x : tensor<64x197xf32>, tensor<197x64xf32>, tensor<197x64xf32>
}

// Scores that are no product.
func.func @given(%s: tensor<50x197xf32>, %v: tensor<197x64xf32>) -> tensor<50x64xf32> {
  %p = graph.softmax %s axis 1 : tensor<50x197xf32> -> tensor<50x197xf32>
  %y = graph.matmul %p, %v : (tensor<50x197xf32>, tensor<197x64xf32>) -> tensor<50x64xf32>
  func.return %y : tensor<50x64xf32>
}
