// RUN: not dlc-opt --cse -p dce %s 2>&1 | filecheck %s

// CHECK: dlc-opt: error: pass flags and -p cannot be mixed; put all passes into one of them
func.func @main() {
  func.return
}
