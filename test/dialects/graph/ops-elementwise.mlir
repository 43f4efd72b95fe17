// RUN: %roundtrip

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<12x1xf32>, %b: tensor<12xf32>, %c: tensor<5x1xf32>, %d: tensor<4xf32>, %e: tensor<7xi8>) {
  // CHECK-NEXT: %0 = graph.add %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %0 = graph.add %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %1 = graph.sub %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %1 = graph.sub %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %2 = graph.mul %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %2 = graph.mul %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %3 = graph.div %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %3 = graph.div %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %4 = graph.mod %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %4 = graph.mod %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %5 = graph.pow %c, %d : (tensor<5x1xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  %5 = graph.pow %c, %d : (tensor<5x1xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  // CHECK-NEXT: %6 = graph.max %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %6 = graph.max %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %7 = graph.min %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %7 = graph.min %a, %b : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  // CHECK-NEXT: %8 = graph.neg %e : tensor<7xi8> -> tensor<7xi8>
  %8 = graph.neg %e : tensor<7xi8> -> tensor<7xi8>
  // CHECK-NEXT: %9 = graph.abs %e : tensor<7xi8> -> tensor<7xi8>
  %9 = graph.abs %e : tensor<7xi8> -> tensor<7xi8>
  // CHECK-NEXT: %10 = graph.sign %e : tensor<7xi8> -> tensor<7xi8>
  %10 = graph.sign %e : tensor<7xi8> -> tensor<7xi8>
  // CHECK-NEXT: %11 = graph.div %a, %b {near} : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  %11 = graph.div %a, %b {near} : (tensor<12x1xf32>, tensor<12xf32>) -> tensor<12x12xf32>
  func.return
}
