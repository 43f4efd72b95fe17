// RUN: not dlc-opt --cse=depth=3 %s 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not dlc-opt "--cse={a=1 a=2}" %s 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not dlc-opt -p "cse{a" %s 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not dlc-opt --lower-to-loop=depth=3 %s 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not dlc-opt -t nowhere %s 2>&1 | filecheck %s --check-prefix=TARGET

// UNKNOWN: dlc-opt: error: cse has no option depth; it has: none
// TWICE: dlc-opt: error: option a is given twice
// OPEN: dlc-opt: error: cannot read the pipeline at "cse{a"
// TARGET: dlc-opt: error: there is no backend nowhere; there are: mlir
// PIPELINE: dlc-opt: error: no pass of lower-to-loop has an option depth
func.func @main() {
  func.return
}
