// RUN: dlc-opt %s --graph-pad-keys=arch=sm_90a | filecheck %s

// Attention as one kernel takes less time than the padded products: its scores stay in registers.
// CHECK-NOT: graph.pad
func.func @heads(%q: tensor<12x197x64xf16>, %k: tensor<12x197x64xf16>, %v: tensor<12x197x64xf16>) -> tensor<12x197x64xf16> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<12x197x64xf16>, tensor<12x197x64xf16>) -> tensor<12x197x197xf16>
  %p = graph.softmax %s axis 2 : tensor<12x197x197xf16> -> tensor<12x197x197xf16>
  %y = graph.matmul %p, %v : (tensor<12x197x197xf16>, tensor<12x197x64xf16>) -> tensor<12x197x64xf16>
  func.return %y : tensor<12x197x64xf16>
}
