// RUN: not dlc-opt --split-input-file %s 2>&1 | filecheck %s

// CHECK: split-input.mlir:13:3: error: there is no operation graph.nothing
// CHECK: func.func @first
// CHECK: // -----
// CHECK: func.func @third
func.func @first() {
  func.return
}
// -----
func.func @second() {
  %0 = arith.constant 1 : i32
  graph.nothing
}
// -----
func.func @third() {
  func.return
}
