// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s
// RUN: dlc-opt %s --fuse=arch=sm_80 | filecheck %s

// Two products and the softmax between them are one kernel, though none of these pairs is; with what is
// computed of the scores, the heads taken from where they stand and put back there.

// CHECK-LABEL: func.func @masked
// CHECK:       fused_group.group {{.*}}strategy = "attention"
// CHECK:         graph.transpose
// CHECK:         graph.transpose
// CHECK:         graph.transpose
// CHECK:         graph.matmul
// CHECK:         graph.add
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    fused_group.yield
// CHECK-NOT:   fused_group.group
func.func @masked(%q: tensor<256x24x64xf16>, %k: tensor<256x24x64xf16>, %v: tensor<256x24x64xf16>, %mask: tensor<256x256xf16>) -> tensor<256x24x64xf16> {
  %qh = graph.transpose %q {permutation = array<i64: 1, 0, 2>} : tensor<256x24x64xf16> -> tensor<24x256x64xf16>
  %kh = graph.transpose %k {permutation = array<i64: 1, 0, 2>} : tensor<256x24x64xf16> -> tensor<24x256x64xf16>
  %vh = graph.transpose %v {permutation = array<i64: 1, 0, 2>} : tensor<256x24x64xf16> -> tensor<24x256x64xf16>
  %s = graph.matmul %qh, %kh transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %x = graph.add %s, %mask : (tensor<24x256x256xf16>, tensor<256x256xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %x axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %x, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %w, %vh : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  %z = graph.transpose %y {permutation = array<i64: 1, 0, 2>} : tensor<24x256x64xf16> -> tensor<256x24x64xf16>
  func.return %z : tensor<256x24x64xf16>
}

// CHECK-LABEL: func.func @composite
// CHECK:       fused_group.group {{.*}}strategy = "attention"
// CHECK-NOT:   fused_group.group
func.func @composite(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> tensor<24x256x64xf16> {
  %y = graph.attention %q, %k, %v scale 0.125 causal : (tensor<24x256x64xf16>, tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}

// Rows without a seen key are zeros, as PyTorch has them.

// CHECK-LABEL: func.func @safe
// CHECK:       fused_group.group {{.*}}strategy = "attention"
// CHECK-NOT:   fused_group.group
func.func @safe(%q: tensor<24x256x64xf16>, %k: tensor<24x256x64xf16>, %v: tensor<24x256x64xf16>) -> tensor<24x256x64xf16> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<24x256x64xf16>, tensor<24x256x64xf16>) -> tensor<24x256x256xf16>
  %m = graph.reduce_max %s axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %d = graph.sub %s, %m : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %e = graph.exp %d : tensor<24x256x256xf16> -> tensor<24x256x256xf16>
  %t = graph.reduce_sum %e axes [2] keep_dims : tensor<24x256x256xf16> -> tensor<24x256x1xf16>
  %w = graph.div %e, %t : (tensor<24x256x256xf16>, tensor<24x256x1xf16>) -> tensor<24x256x256xf16>
  %n = graph.is_nan %w : tensor<24x256x256xf16> -> tensor<24x256x256xi1>
  %0 = graph.constant dense<0.0> : tensor<f16>
  %p = graph.where %n, %0, %w : (tensor<24x256x256xi1>, tensor<f16>, tensor<24x256x256xf16>) -> tensor<24x256x256xf16>
  %y = graph.matmul %p, %v : (tensor<24x256x256xf16>, tensor<24x256x64xf16>) -> tensor<24x256x64xf16>
  func.return %y : tensor<24x256x64xf16>
}
