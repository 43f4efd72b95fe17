// RUN: not dlc-opt %s --lower-to-loop --reproducer=/no/such/x.mlir 2>&1 | filecheck %s
// RUN: not dlc-opt %s --fuse --print-ir-after-all --print-ir-tree-dir=%s 2>&1 | filecheck %s --check-prefix=DUMPS
// RUN: not dlc-opt %s --fuse --print-ir-after=fus 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not dlc-opt %s --rewrite-limit=-1 2>&1 | filecheck %s --check-prefix=LIMIT

// CHECK: cannot write /no/such/x.mlir: No such file or directory
// CHECK: error: graph.relu is in no group
// DUMPS: cannot write dumps to {{.*}}.mlir: File exists
// NAME: argument --print-ir-after/--mlir-print-ir-after: there is no pass fus
// LIMIT: argument --rewrite-limit: '-1' is not a number of 0 or more
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
