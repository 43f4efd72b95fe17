// RUN: dlc-opt %s --graph-canonicalize --rewrite-limit=1 2>&1 | filecheck %s --check-prefix=ONE
// RUN: dlc-opt %s --graph-canonicalize --rewrite-limit=0 2>&1 | filecheck %s --check-prefix=NONE
// RUN: dlc-opt %s --graph-canonicalize --rewrite-limit=9 2>&1 | filecheck %s --check-prefix=ALL

// ONE: rewrites: 1, the last: {{_[A-Za-z]+}} on graph.cast at {{.*}}rewrite-limit.mlir:13:3
// ONE: graph.transpose
// NONE: rewrites: 0, the last: none
// NONE: graph.cast
// NONE: graph.transpose
// ALL: rewrites: 2, the last: {{_[A-Za-z]+}} on graph.transpose
// ALL-NOT: graph.
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %x {to = f32} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}
