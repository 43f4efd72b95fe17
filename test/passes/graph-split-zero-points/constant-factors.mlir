// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s

// A small weight has lost its zero point when it was imported; its values still fit 8 bits.
// CHECK-LABEL: @with_a_sign
func.func @with_a_sign(%a: tensor<5x1xui8>) -> tensor<5x2xi32> {
  // CHECK: %[[B:.*]] = graph.cast %b {to = i8}
  // CHECK: graph.matmul %a, %[[B]] : (tensor<5x1xui8>, tensor<1x2xi8>)
  %b = graph.constant dense<[[-128, 127]]> : tensor<1x2xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// CHECK-LABEL: @without_a_sign
func.func @without_a_sign(%a: tensor<5x1xui8>) -> tensor<5x2xi32> {
  // CHECK: %[[B:.*]] = graph.cast %b {to = ui8}
  // CHECK: graph.matmul %a, %[[B]] : (tensor<5x1xui8>, tensor<1x2xui8>)
  %b = graph.constant dense<[[0, 128]]> : tensor<1x2xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// CHECK-LABEL: @less_a_zero_point
func.func @less_a_zero_point(%a: tensor<5x1xui8>) -> tensor<5x2xi32> {
  // CHECK: %[[P:.*]] = graph.splat 200 : i32 -> tensor<i32>
  // CHECK: %[[U:.*]] = graph.add %b, %[[P]]
  // CHECK: %[[B:.*]] = graph.cast %[[U]] {to = ui8}
  // CHECK: %[[Y:.*]] = graph.matmul %a, %[[B]]
  // CHECK: %[[SUMS:.*]] = graph.matmul %a, {{.*}} -> tensor<5x1xi32>
  // CHECK: graph.mul %[[P]], %[[SUMS]]
  %b = graph.constant dense<[[-200, 55]]> : tensor<1x2xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// CHECK-LABEL: @too_far_apart
func.func @too_far_apart(%a: tensor<5x1xui8>) -> tensor<5x2xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x1xi32>, tensor<1x2xi32>)
  %b = graph.constant dense<[[-200, 56]]> : tensor<1x2xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x2xi32>) -> tensor<5x2xi32>
  func.return %y : tensor<5x2xi32>
}

// CHECK-LABEL: @nobody_knows_them
func.func @nobody_knows_them(%a: tensor<5x1xui8>) -> tensor<5x8xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x1xi32>, tensor<1x8xi32>)
  %b = graph.weight @unknown : tensor<1x8xi32>
  %0 = graph.cast %a {to = i32} : tensor<5x1xui8> -> tensor<5x1xi32>
  %y = graph.matmul %0, %b : (tensor<5x1xi32>, tensor<1x8xi32>) -> tensor<5x8xi32>
  func.return %y : tensor<5x8xi32>
}
