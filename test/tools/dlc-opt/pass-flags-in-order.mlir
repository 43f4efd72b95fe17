// RUN: dlc-opt --cse --dce %s --print-ir-before-all 2>&1 | filecheck %s
// RUN: dlc-opt --dce --cse %s --print-ir-before-all 2>&1 | filecheck %s --check-prefix=SWAPPED
// RUN: dlc-opt -p cse,dce --print-ir-before-all %s 2>&1 | filecheck %s
// RUN: dlc-opt "--pass-pipeline=builtin.module(cse, dce)" --print-ir-before-all %s 2>&1 | filecheck %s

// CHECK: IR Dump Before CsePass (cse)
// CHECK: IR Dump Before DeadCodeElimination (dce)
// SWAPPED: IR Dump Before DeadCodeElimination (dce)
// SWAPPED: IR Dump Before CsePass (cse)
func.func @main() {
  func.return
}
