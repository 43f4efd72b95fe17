// RUN: dlc-opt %s --graph-recognize | filecheck %s

// CHECK-LABEL: @with_the_error_function
func.func @with_the_error_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.gelu %x : tensor<8xf32>
  // CHECK-NEXT: func.return %[[Y]]
  %root = graph.constant dense<1.4142135> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.div %x, %root : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.erf %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = graph.add %1, %one : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = graph.mul %x, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = graph.mul %3, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %4 : tensor<8xf32>
}

// CHECK-LABEL: @with_the_tangent
func.func @with_the_tangent(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: graph.gelu %x {tanh}
  // CHECK-NEXT: func.return
  %half = graph.splat 0.5 : f32 -> tensor<1xf32>
  %three = graph.splat 3.0 : f32 -> tensor<1xf32>
  %cubic = graph.splat 0.044715 : f32 -> tensor<1xf32>
  %root = graph.splat 0.7978846 : f32 -> tensor<1xf32>
  %one = graph.splat 1.0 : f32 -> tensor<1xf32>
  %0 = graph.mul %x, %half : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %1 = graph.pow %x, %three : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %2 = graph.mul %cubic, %1 : (tensor<1xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.add %x, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = graph.mul %3, %root : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %5 = graph.tanh %4 : tensor<8xf32> -> tensor<8xf32>
  %6 = graph.add %5, %one : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %7 = graph.mul %0, %6 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %7 : tensor<8xf32>
}

// CHECK-LABEL: @not_with_another_constant
func.func @not_with_another_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NOT: graph.gelu
  %root = graph.constant dense<1.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.div %x, %root : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = graph.erf %0 : tensor<8xf32> -> tensor<8xf32>
  %2 = graph.add %1, %one : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = graph.mul %x, %2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = graph.mul %3, %half : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %4 : tensor<8xf32>
}
