// RUN: dlc-opt %s --graph-fold-scale | filecheck %s

// The queries take the scale of the keys, which are only moved then.
// CHECK-LABEL: @attention
// CHECK:      %[[S:.*]] = graph.mul %{{.*}}, %{{.*}} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %[[Q:.*]] = graph.mul %q, %[[S]]
// CHECK-NEXT: graph.matmul %[[Q]], %k
func.func @attention(%q: tensor<12x197x64xf32>, %k: tensor<12x64x197xf32>) -> tensor<12x197x197xf32> {
  %s = graph.constant dense<0.35> : tensor<1xf32>
  %t = graph.constant dense<0.25> : tensor<f32>
  %0 = graph.mul %q, %s : (tensor<12x197x64xf32>, tensor<1xf32>) -> tensor<12x197x64xf32>
  %1 = graph.mul %t, %k : (tensor<f32>, tensor<12x64x197xf32>) -> tensor<12x64x197xf32>
  %y = graph.matmul %0, %1 : (tensor<12x197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  func.return %y : tensor<12x197x197xf32>
}

// Keys that are transposed behind their scale.
// CHECK-LABEL: @transposed
// CHECK:      graph.mul %q
// CHECK-NEXT: %[[K:.*]] = graph.transpose %k
// CHECK-NEXT: graph.matmul %{{.*}}, %[[K]]
func.func @transposed(%q: tensor<12x197x64xf32>, %k: tensor<12x197x64xf32>) -> tensor<12x197x197xf32> {
  %s = graph.constant dense<0.35> : tensor<f32>
  %0 = graph.mul %q, %s : (tensor<12x197x64xf32>, tensor<f32>) -> tensor<12x197x64xf32>
  %1 = graph.mul %k, %s : (tensor<12x197x64xf32>, tensor<f32>) -> tensor<12x197x64xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : tensor<12x197x64xf32> -> tensor<12x64x197xf32>
  %y = graph.matmul %0, %2 : (tensor<12x197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  func.return %y : tensor<12x197x197xf32>
}

// The scale of keys alone.
// CHECK-LABEL: @keys
// CHECK:      %[[Q:.*]] = graph.mul %q
// CHECK-NEXT: graph.matmul %[[Q]], %k
func.func @keys(%q: tensor<197x64xf32>, %k: tensor<12x64x197xf32>) -> tensor<12x197x197xf32> {
  %s = graph.constant dense<0.35> : tensor<1x1x1xf32>
  %0 = graph.mul %k, %s : (tensor<12x64x197xf32>, tensor<1x1x1xf32>) -> tensor<12x64x197xf32>
  %y = graph.matmul %q, %0 : (tensor<197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  func.return %y : tensor<12x197x197xf32>
}

// A scale that others read too, one that varies, and one factor alone stay.
// CHECK-LABEL: @stays
// CHECK-COUNT-5: graph.mul
// CHECK-NOT:     graph.mul
func.func @stays(%q: tensor<12x197x64xf32>, %k: tensor<12x64x197xf32>, %v: tensor<197xf32>) -> (tensor<12x197x197xf32>, tensor<12x64x197xf32>, tensor<12x197x197xf32>, tensor<12x197x197xf32>) {
  %s = graph.constant dense<0.35> : tensor<1xf32>
  %0 = graph.mul %q, %s : (tensor<12x197x64xf32>, tensor<1xf32>) -> tensor<12x197x64xf32>
  %1 = graph.mul %k, %s : (tensor<12x64x197xf32>, tensor<1xf32>) -> tensor<12x64x197xf32>
  %y = graph.matmul %0, %1 : (tensor<12x197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  %2 = graph.mul %q, %s : (tensor<12x197x64xf32>, tensor<1xf32>) -> tensor<12x197x64xf32>
  %3 = graph.mul %k, %v : (tensor<12x64x197xf32>, tensor<197xf32>) -> tensor<12x64x197xf32>
  %z = graph.matmul %2, %3 : (tensor<12x197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  %4 = graph.mul %q, %s : (tensor<12x197x64xf32>, tensor<1xf32>) -> tensor<12x197x64xf32>
  %u = graph.matmul %4, %k : (tensor<12x197x64xf32>, tensor<12x64x197xf32>) -> tensor<12x197x197xf32>
  func.return %y, %1, %z, %u : tensor<12x197x197xf32>, tensor<12x64x197xf32>, tensor<12x197x197xf32>, tensor<12x197x197xf32>
}
