// RUN: not dlc-opt -p no-such-pass %s 2>&1 | filecheck %s
// RUN: not dlc-opt --no-such-pass %s 2>&1 | filecheck %s --check-prefix=FLAG

// CHECK: dlc-opt: error: there is no pass or pipeline no-such-pass; see --list-passes
// CHECK-NOT: Traceback
// FLAG: error: unrecognized arguments: --no-such-pass
// FLAG-NOT: Traceback
func.func @main() {
  func.return
}
