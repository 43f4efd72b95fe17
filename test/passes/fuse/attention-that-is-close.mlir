// RUN: dlc-opt %s --fuse=arch=sm_90a | filecheck %s

// What is close to attention, but is none.

// Weights are multiplied before values are: BERT's mask of heads.
// CHECK-LABEL: @head_mask
// CHECK-NOT:     strategy = "attention"
func.func @head_mask(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>, %m: tensor<1x4x1x1xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.softmax %0 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %2 = graph.mul %1, %m : (tensor<2x4x128x128xf16>, tensor<1x4x1x1xf16>) -> tensor<2x4x128x128xf16>
  %3 = graph.matmul %2, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %3 : tensor<2x4x128x64xf16>
}

// Weights of a key add up to 1, not those of a query.
// CHECK-LABEL: @other_axis
// CHECK-NOT:     strategy = "attention"
func.func @other_axis(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.softmax %0 axis 2 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %2 = graph.matmul %1, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %2 : tensor<2x4x128x64xf16>
}

// Values are added up by keys, not by queries.
// CHECK-LABEL: @turned
// CHECK-NOT:     strategy = "attention"
func.func @turned(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.softmax %0 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 1, 3, 2>} : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %3 = graph.matmul %2, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %3 : tensor<2x4x128x64xf16>
}

// Scores depend on other scores of their row.
// CHECK-LABEL: @centred
// CHECK-NOT:     strategy = "attention"
func.func @centred(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> {
  %0 = graph.matmul %q, %k transpose_rhs : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x128xf16>
  %1 = graph.reduce_mean %0 axes [3] keep_dims : tensor<2x4x128x128xf16> -> tensor<2x4x128x1xf16>
  %2 = graph.sub %0, %1 : (tensor<2x4x128x128xf16>, tensor<2x4x128x1xf16>) -> tensor<2x4x128x128xf16>
  %3 = graph.softmax %2 axis 3 : tensor<2x4x128x128xf16> -> tensor<2x4x128x128xf16>
  %4 = graph.matmul %3, %v : (tensor<2x4x128x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16>
  func.return %4 : tensor<2x4x128x64xf16>
}
