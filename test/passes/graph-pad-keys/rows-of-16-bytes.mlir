// RUN: dlc-opt %s --graph-pad-keys="arch=sm_90a precision=fp32" | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: dlc-opt %s --graph-pad-keys="arch=sm_90a precision=tf32" | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: dlc-opt %s --graph-pad-keys="arch=sm_90a precision=fp16" | filecheck %s --check-prefixes=CHECK,NARROW

// 16 bytes are 4 scores in fp32, and 8 of 16 bits, which these will have (two products of the weights
// are no one kernel).
// CHECK-LABEL: @odd
// WIDE:          graph.pad %k {{.*}} : tensor<12x201x64xf32> -> tensor<12x204x64xf32>
// NARROW:        graph.pad %k {{.*}} : tensor<12x201x64xf32> -> tensor<12x208x64xf32>
func.func @odd(%q: tensor<12x201x64xf32>, %k: tensor<12x201x64xf32>, %v: tensor<12x201x64xf32>) -> (tensor<12x201x64xf32>, tensor<12x201x64xf32>) {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<12x201x64xf32>, tensor<12x201x64xf32>) -> tensor<12x201x201xf32>
  %p = graph.softmax %s axis 2 : tensor<12x201x201xf32> -> tensor<12x201x201xf32>
  %y = graph.matmul %p, %v : (tensor<12x201x201xf32>, tensor<12x201x64xf32>) -> tensor<12x201x64xf32>
  %z = graph.matmul %p, %k : (tensor<12x201x201xf32>, tensor<12x201x64xf32>) -> tensor<12x201x64xf32>
  func.return %y, %z : tensor<12x201x64xf32>, tensor<12x201x64xf32>
}

// Rows of 196 scores are whole pieces in fp32; in fp16 pieces of 8 bytes, which are nearly as fast.
// CHECK-LABEL: @even
// CHECK-NOT:     graph.pad
func.func @even(%q: tensor<12x196x64xf32>, %k: tensor<12x196x64xf32>, %v: tensor<12x196x64xf32>) -> tensor<12x196x64xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<12x196x64xf32>, tensor<12x196x64xf32>) -> tensor<12x196x196xf32>
  %p = graph.softmax %s axis 2 : tensor<12x196x196xf32> -> tensor<12x196x196xf32>
  %y = graph.matmul %p, %v : (tensor<12x196x196xf32>, tensor<12x196x64xf32>) -> tensor<12x196x64xf32>
  func.return %y : tensor<12x196x64xf32>
}
