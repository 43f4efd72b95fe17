// RUN: dlc-opt %s --fuse | filecheck %s

// The first product and the last addition cannot share a kernel: the second product lies between them.

// CHECK:       fused_group.group @g0
// CHECK-SAME:    boundaries = ["g1: in stages (two contractions), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         graph.matmul
// CHECK-NEXT:    fused_group.yield
// CHECK:       fused_group.group @g1
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    fused_group.yield
func.func @main(%x: tensor<128x64xf32>, %v: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %1 = graph.matmul %0, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %2 = graph.add %0, %1 : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
  func.return %2 : tensor<128x64xf32>
}
