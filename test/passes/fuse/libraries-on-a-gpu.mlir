// RUN: dlc-opt %s "--fuse=arch=h200 libraries=cublaslt" | filecheck %s
// RUN: dlc-opt %s --fuse=arch=h200 | filecheck %s --check-prefix=WITHOUT

// Of a product in f32 with many columns cuBLAS makes more than our kernels do (docs/results.md), with
// the bias and the relu behind it. An exponential behind a product is ours.
// CHECK: fused_group.group @g0(%x, %y, %v)
// CHECK-SAME: strategy = "contract", target = "gpu"{{.*}}, library = "cublaslt">
// CHECK: graph.relu
// CHECK: fused_group.group @g1
// CHECK-NOT: cublaslt
// WITHOUT-NOT: cublaslt
func.func @main(%x: tensor<2048x768xf32>, %y: tensor<768x50257xf32>, %v: tensor<50257xf32>, %a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> (tensor<2048x50257xf32>, tensor<512x512xf16>) {
  %0 = graph.matmul %x, %y : (tensor<2048x768xf32>, tensor<768x50257xf32>) -> tensor<2048x50257xf32>
  %1 = graph.add %0, %v : (tensor<2048x50257xf32>, tensor<50257xf32>) -> tensor<2048x50257xf32>
  %2 = graph.relu %1 : tensor<2048x50257xf32> -> tensor<2048x50257xf32>
  %3 = graph.matmul %a, %b : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %4 = graph.exp %3 : tensor<512x512xf16> -> tensor<512x512xf16>
  func.return %2, %4 : tensor<2048x50257xf32>, tensor<512x512xf16>
}
