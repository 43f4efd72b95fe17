// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<10xf32>) {
  // CHECK-NEXT: %0 = graph.exp %a : tensor<10xf32> -> tensor<10xf32>
  %0 = graph.exp %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %1 = graph.log %a : tensor<10xf32> -> tensor<10xf32>
  %1 = graph.log %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %2 = graph.sqrt %a : tensor<10xf32> -> tensor<10xf32>
  %2 = graph.sqrt %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %3 = graph.floor %a : tensor<10xf32> -> tensor<10xf32>
  %3 = graph.floor %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %4 = graph.ceil %a : tensor<10xf32> -> tensor<10xf32>
  %4 = graph.ceil %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %5 = graph.round %a : tensor<10xf32> -> tensor<10xf32>
  %5 = graph.round %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %6 = graph.trunc %a : tensor<10xf32> -> tensor<10xf32>
  %6 = graph.trunc %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %7 = graph.sin %a : tensor<10xf32> -> tensor<10xf32>
  %7 = graph.sin %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %8 = graph.cos %a : tensor<10xf32> -> tensor<10xf32>
  %8 = graph.cos %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %9 = graph.tan %a : tensor<10xf32> -> tensor<10xf32>
  %9 = graph.tan %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %10 = graph.asin %a : tensor<10xf32> -> tensor<10xf32>
  %10 = graph.asin %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %11 = graph.acos %a : tensor<10xf32> -> tensor<10xf32>
  %11 = graph.acos %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %12 = graph.atan %a : tensor<10xf32> -> tensor<10xf32>
  %12 = graph.atan %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %13 = graph.sinh %a : tensor<10xf32> -> tensor<10xf32>
  %13 = graph.sinh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %14 = graph.cosh %a : tensor<10xf32> -> tensor<10xf32>
  %14 = graph.cosh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %15 = graph.tanh %a : tensor<10xf32> -> tensor<10xf32>
  %15 = graph.tanh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %16 = graph.asinh %a : tensor<10xf32> -> tensor<10xf32>
  %16 = graph.asinh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %17 = graph.acosh %a : tensor<10xf32> -> tensor<10xf32>
  %17 = graph.acosh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %18 = graph.atanh %a : tensor<10xf32> -> tensor<10xf32>
  %18 = graph.atanh %a : tensor<10xf32> -> tensor<10xf32>
  // CHECK-NEXT: %19 = graph.erf %a : tensor<10xf32> -> tensor<10xf32>
  %19 = graph.erf %a : tensor<10xf32> -> tensor<10xf32>
  func.return
}
