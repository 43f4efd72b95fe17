// RUN: dlc-opt %s --graph-pad-keys=arch=sm_90a | filecheck %s

// A scale of the keys stays behind the padding, where graph-fold-scale finds it.
// CHECK-LABEL: @scaled
// CHECK:         %[[K:.*]] = graph.pad %k {{.*}} high = array<i64: 0, 3>} : tensor<64x197xf32> -> tensor<64x200xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.mul %[[K]], %c : (tensor<64x200xf32>, tensor<1xf32>)
// CHECK-NEXT:    graph.matmul %q, %[[S]]
func.func @scaled(%q: tensor<4096x64xf32>, %k: tensor<64x197xf32>, %v: tensor<197x64xf32>) -> tensor<4096x64xf32> {
  %c = graph.constant dense<0.35> : tensor<1xf32>
  %0 = graph.mul %k, %c : (tensor<64x197xf32>, tensor<1xf32>) -> tensor<64x197xf32>
  %s = graph.matmul %q, %0 : (tensor<4096x64xf32>, tensor<64x197xf32>) -> tensor<4096x197xf32>
  %p = graph.softmax %s axis 1 : tensor<4096x197xf32> -> tensor<4096x197xf32>
  %y = graph.matmul %p, %v : (tensor<4096x197xf32>, tensor<197x64xf32>) -> tensor<4096x64xf32>
  func.return %y : tensor<4096x64xf32>
}

// Not so where each element has a scale of its own, or where the product has more axes than the keys.
// CHECK-LABEL: @by_vector
// CHECK:         %[[S:.*]] = graph.mul %k, %c
// CHECK-NEXT:    graph.pad %[[S]] {{.*}} high = array<i64: 3, 0>} : tensor<197x64xf32> -> tensor<200x64xf32>
func.func @by_vector(%q: tensor<4096x64xf32>, %k: tensor<197x64xf32>, %c: tensor<64xf32>) -> tensor<4096x64xf32> {
  %0 = graph.mul %k, %c : (tensor<197x64xf32>, tensor<64xf32>) -> tensor<197x64xf32>
  %s = graph.matmul %q, %0 transpose_rhs : (tensor<4096x64xf32>, tensor<197x64xf32>) -> tensor<4096x197xf32>
  %p = graph.softmax %s axis 1 : tensor<4096x197xf32> -> tensor<4096x197xf32>
  %y = graph.matmul %p, %k : (tensor<4096x197xf32>, tensor<197x64xf32>) -> tensor<4096x64xf32>
  func.return %y : tensor<4096x64xf32>
}

// CHECK-LABEL: @with_an_axis
// CHECK:         %[[S:.*]] = graph.mul %k, %c
// CHECK-NEXT:    graph.pad %[[S]] {{.*}} high = array<i64: 0, 3, 0>} : tensor<1x197x64xf32> -> tensor<1x200x64xf32>
func.func @with_an_axis(%q: tensor<1x4096x64xf32>, %k: tensor<197x64xf32>, %v: tensor<1x197x64xf32>, %c: tensor<1x1x1xf32>) -> tensor<1x4096x64xf32> {
  %0 = graph.mul %k, %c : (tensor<197x64xf32>, tensor<1x1x1xf32>) -> tensor<1x197x64xf32>
  %s = graph.matmul %q, %0 transpose_rhs : (tensor<1x4096x64xf32>, tensor<1x197x64xf32>) -> tensor<1x4096x197xf32>
  %p = graph.softmax %s axis 2 : tensor<1x4096x197xf32> -> tensor<1x4096x197xf32>
  %y = graph.matmul %p, %v : (tensor<1x4096x197xf32>, tensor<1x197x64xf32>) -> tensor<1x4096x64xf32>
  func.return %y : tensor<1x4096x64xf32>
}
