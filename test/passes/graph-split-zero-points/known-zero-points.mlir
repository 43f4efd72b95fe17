// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s

// CHECK-LABEL: @not_zero
func.func @not_zero(%a: tensor<5x64xui8>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: %[[Y:.*]] = graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>)
  // CHECK: %[[SUMS:.*]] = graph.matmul %a, %{{.*}} -> tensor<5x1xi32>
  // CHECK: %[[MORE:.*]] = graph.mul {{.*}}, %[[SUMS]]
  // CHECK: graph.sub %[[Y]], %[[MORE]]
  %z = graph.constant dense<[0, 0, 3, 0, 0, 0, 0]> : tensor<7xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %2 = graph.sub %1, %z : (tensor<64x7xi32>, tensor<7xi32>) -> tensor<64x7xi32>
  %y = graph.matmul %0, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @zero_in_another_shape
func.func @zero_in_another_shape(%a: tensor<5x64xui8>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: %y = graph.matmul %a, %b
  // CHECK-NEXT: func.return %y
  %z = graph.splat 0 : i32 -> tensor<7x1xi32>
  %row = graph.reshape %z {sizes = array<i64: 7>} : tensor<7x1xi32> -> tensor<7xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %2 = graph.sub %1, %row : (tensor<64x7xi32>, tensor<7xi32>) -> tensor<64x7xi32>
  %y = graph.matmul %0, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @constant_without_elements
func.func @constant_without_elements(%a: tensor<5x1xui8>) -> tensor<5x0xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x1xi32>, tensor<1x0xi32>)
  %b = graph.splat 3 : i32 -> tensor<1x0xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x0xi32>) -> tensor<5x0xi32>
  func.return %y : tensor<5x0xi32>
}
