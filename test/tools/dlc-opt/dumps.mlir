// RUN: dlc-opt --dce --cse %s --print-ir-after-change -o /dev/null 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: dlc-opt --cse --dce %s --print-ir-after-all -o /dev/null 2>&1 | filecheck %s --check-prefix=ALL
// RUN: dlc-opt --cse --dce %s --print-ir-after=dce -o /dev/null 2>&1 | filecheck %s --check-prefix=ONE
// RUN: dlc-opt --cse %s --mlir-print-ir-before=cse --elide-elements-if-larger=2 -o /dev/null 2>&1 | filecheck %s --check-prefix=ELIDED

// CHANGE: // -----// IR Dump After DeadCodeElimination (dce) //----- //
// CHANGE-NOT: graph.constant
// CHANGE-NOT: (cse)
// ALL: // -----// IR Dump After CsePass (cse) //----- //
// ALL: // -----// IR Dump After DeadCodeElimination (dce) //----- //
// ONE-NOT: (cse)
// ONE: IR Dump After DeadCodeElimination (dce)
// ELIDED: graph.constant dense_resource<__elided__> : tensor<3xi64>
func.func @main() {
  %0 = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  func.return
}
