// RUN: dlc-opt %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
