// RUN: dlc-opt --cse --dce %s --print-ir-after-all --print-ir-tree-dir=%t.dumps
// RUN: dlc-opt %t.dumps/001-after-dce.mlir | filecheck %s

// CHECK: func.func @main
func.func @main() {
  func.return
}
