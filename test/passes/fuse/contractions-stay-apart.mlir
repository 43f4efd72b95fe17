// RUN: dlc-opt %s --fuse | filecheck %s

// The group that ends says why; what stands between two products goes to the first.

// CHECK:       %[[A:.*]] = fused_group.group @g0
// CHECK-SAME:    boundaries = ["g1: in stages (two contractions), one kernel would take at least {{[0-9.e+-]+}} us more"]
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    fused_group.yield
// CHECK:       fused_group.group @g1(%[[A]], %{{.*}}) :
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    fused_group.yield
func.func @main(%x: tensor<128x64xf32>, %v: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.matmul %x, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %1 = graph.relu %0 : tensor<128x64xf32> -> tensor<128x64xf32>
  %2 = graph.matmul %1, %v : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  func.return %2 : tensor<128x64xf32>
}
