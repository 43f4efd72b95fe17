// RUN: dlc-opt %s --graph-pad-keys=arch=sm_90a | filecheck %s

// Keys and values get three more, whose scores are masked.
// CHECK-LABEL: @keys
// CHECK:      %[[K:.*]] = graph.pad %k {{.*}} high = array<i64: 0, 3, 0>} : tensor<12x197x64xf32> -> tensor<12x200x64xf32>
// CHECK-NEXT: %[[S:.*]] = graph.matmul %q, %[[K]] transpose_rhs : {{.*}} -> tensor<12x197x200xf32>
// CHECK:      %[[P:.*]] = graph.range {start = 0 : i64, step = 1 : i64, size = 200 : i64} -> tensor<200xi64>
// CHECK-NEXT: %[[N:.*]] = graph.splat 197 : i64
// CHECK-NEXT: %[[I:.*]] = graph.compare %[[P]], %[[N]] {predicate = "lt"}
// CHECK-NEXT: %[[L:.*]] = graph.splat 0xff800000 : f32
// CHECK-NEXT: %[[M:.*]] = graph.where %[[I]], %[[S]], %[[L]]
// CHECK-NEXT: %[[W:.*]] = graph.softmax %[[M]] axis 2 : tensor<12x197x200xf32>
// CHECK-NEXT: %[[V:.*]] = graph.pad %v {{.*}} high = array<i64: 0, 3, 0>}
// CHECK-NEXT: graph.matmul %[[W]], %[[V]] : {{.*}} -> tensor<12x197x64xf32>
func.func @keys(%q: tensor<12x197x64xf32>, %k: tensor<12x197x64xf32>, %v: tensor<12x197x64xf32>) -> tensor<12x197x64xf32> {
  %s = graph.matmul %q, %k transpose_rhs : (tensor<12x197x64xf32>, tensor<12x197x64xf32>) -> tensor<12x197x197xf32>
  %p = graph.softmax %s axis 2 : tensor<12x197x197xf32> -> tensor<12x197x197xf32>
  %y = graph.matmul %p, %v : (tensor<12x197x197xf32>, tensor<12x197x64xf32>) -> tensor<12x197x64xf32>
  func.return %y : tensor<12x197x64xf32>
}

// Factors may lie the other way round, and two products may take the weights.
// CHECK-LABEL: @turned
// CHECK:         graph.pad %k {{.*}} high = array<i64: 0, 3>} : tensor<64x197xf32> -> tensor<64x200xf32>
// CHECK:         graph.pad %v {{.*}} high = array<i64: 0, 3>} : tensor<64x197xf32> -> tensor<64x200xf32>
// CHECK-NEXT:    graph.matmul %{{.*}}, %{{.*}} transpose_rhs : (tensor<4096x200xf32>, tensor<64x200xf32>)
// CHECK:         graph.pad %u {{.*}} high = array<i64: 3, 0>} : tensor<197x32xf32> -> tensor<200x32xf32>
// CHECK-NOT:     tensor<4096x197xf32>
func.func @turned(%q: tensor<4096x64xf32>, %k: tensor<64x197xf32>, %v: tensor<64x197xf32>, %u: tensor<197x32xf32>) -> (tensor<4096x64xf32>, tensor<4096x32xf32>) {
  %s = graph.matmul %q, %k : (tensor<4096x64xf32>, tensor<64x197xf32>) -> tensor<4096x197xf32>
  %p = graph.softmax %s axis 1 : tensor<4096x197xf32> -> tensor<4096x197xf32>
  %y = graph.matmul %p, %v transpose_rhs : (tensor<4096x197xf32>, tensor<64x197xf32>) -> tensor<4096x64xf32>
  %z = graph.matmul %p, %u : (tensor<4096x197xf32>, tensor<197x32xf32>) -> tensor<4096x32xf32>
  func.return %y, %z : tensor<4096x64xf32>, tensor<4096x32xf32>
}
