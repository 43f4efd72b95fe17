// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<12x1xf32>, %b: tensor<12xf32>, %c: tensor<2x1xi1>, %d: tensor<2xi1>, %e: tensor<7x1xi8>, %f: tensor<6xi8>, %g: tensor<2x1xf32>, %h: tensor<9xf32>) {
  // CHECK-NEXT: %0 = graph.compare %a, %b {predicate = "eq"} : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xi1>
  %0 = graph.compare %a, %b {predicate = "eq"} : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xi1>
  // CHECK-NEXT: %1 = graph.and %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  %1 = graph.and %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  // CHECK-NEXT: %2 = graph.or %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  %2 = graph.or %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  // CHECK-NEXT: %3 = graph.xor %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  %3 = graph.xor %c, %d : (tensor<2x1xi1>, tensor<2xi1>) -> tensor<2x2xi1>
  // CHECK-NEXT: %4 = graph.not %d : tensor<2xi1> -> tensor<2xi1>
  %4 = graph.not %d : tensor<2xi1> -> tensor<2xi1>
  // CHECK-NEXT: %5 = graph.shift %e, %f {right} : (tensor<7x1xi8>, tensor<6xi8>) -> tensor<7x6xi8>
  %5 = graph.shift %e, %f {right} : (tensor<7x1xi8>, tensor<6xi8>) -> tensor<7x6xi8>
  // CHECK-NEXT: %6 = graph.is_nan %b : tensor<12xf32> -> tensor<12xi1>
  %6 = graph.is_nan %b : tensor<12xf32> -> tensor<12xi1>
  // CHECK-NEXT: %7 = graph.is_inf %b : tensor<12xf32> -> tensor<12xi1>
  %7 = graph.is_inf %b : tensor<12xf32> -> tensor<12xi1>
  // CHECK-NEXT: %8 = graph.where %c, %b, %g : (tensor<2x1xi1>, tensor<12xf32>, tensor<2x1xf32>) -> tensor<2x12xf32>
  %8 = graph.where %c, %b, %g : (tensor<2x1xi1>, tensor<12xf32>, tensor<2x1xf32>) -> tensor<2x12xf32>
  // CHECK-NEXT: %9 = graph.cast %h {to = f16} : tensor<9xf32> -> tensor<9xf16>
  %9 = graph.cast %h {to = f16} : tensor<9xf32> -> tensor<9xf16>
  // CHECK-NEXT: %10 = graph.widen %h : tensor<9xf32> -> tensor<9xf32>
  %10 = graph.widen %h : tensor<9xf32> -> tensor<9xf32>
  // CHECK-NEXT: %11 = graph.narrow %h : tensor<9xf32> -> tensor<9xf32>
  %11 = graph.narrow %h : tensor<9xf32> -> tensor<9xf32>
  func.return
}
