// configuration: -p 'dce'
// RUN: dlc-opt --run-reproducer %s | filecheck %s

// CHECK: func.func @main
// CHECK-NOT: graph.splat
func.func @main() {
  %0 = graph.splat 0.000000e+00 : f32 -> tensor<4xf32>
  func.return
}
