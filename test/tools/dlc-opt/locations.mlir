// RUN: dlc-opt --locations %s | filecheck %s
// RUN: dlc-opt --locations %s | dlc-opt --locations | filecheck %s
// RUN: dlc-opt --mlir-print-debuginfo %s | filecheck %s

// CHECK: graph.splat {{.*}} loc("{{.*}}locations.mlir":8:3)
// CHECK: graph.relu {{.*}} loc("Relu_1")
func.func @main() -> tensor<4xf32> {
  %0 = graph.splat 0.000000e+00 : f32 -> tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32> -> tensor<4xf32> loc("Relu_1")
  func.return %1 : tensor<4xf32>
}
