// RUN: dlc-opt --cse --mlir-timing %s -o /dev/null 2>&1 | filecheck %s

// CHECK: ... Execution time report ...
// CHECK: Total Execution Time: {{[0-9.]+}} seconds
// CHECK: {{[0-9.]+}}%)  Parser
// CHECK: Verifier
// CHECK: CsePass (cse)
// CHECK: Total
func.func @main() {
  func.return
}
