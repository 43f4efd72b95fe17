// RUN: dlc-opt %s --graph-set-precision=precision=fp16 | filecheck %s

// CHECK-LABEL: @constant_integers
func.func @constant_integers(%x: tensor<2xi64>) -> tensor<2xi64> {
  // CHECK-NEXT: graph.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK-NEXT: %[[Y:.*]] = graph.add
  // CHECK-NEXT: func.return %[[Y]]
  %c = graph.constant dense<[1, 2]> : tensor<2xi64>
  %y = graph.add %x, %c : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  func.return %y : tensor<2xi64>
}

// CHECK-LABEL: @conversion
func.func @conversion(%x: tensor<2xi64>) -> tensor<2xf32> {
  // CHECK-NEXT: graph.cast %x {to = f16} : tensor<2xi64> -> tensor<2xf16>
  %y = graph.cast %x {to = f32} : tensor<2xi64> -> tensor<2xf32>
  %z = graph.relu %y : tensor<2xf32> -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}

// A number in a property goes with its op.
// CHECK-LABEL: @numbers_in_properties
func.func @numbers_in_properties(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: graph.leaky_relu {{.*}} {alpha = 5.960460e-08 : f16}
  // CHECK: graph.leaky_relu {{.*}} {alpha = 1.000000e-12 : f32}
  %0 = graph.leaky_relu %x {alpha = 1.0e-12 : f32} : tensor<2xf32> -> tensor<2xf32>
  %1 = graph.widen %0 : tensor<2xf32> -> tensor<2xf32>
  %2 = graph.leaky_relu %1 {alpha = 1.0e-12 : f32} : tensor<2xf32> -> tensor<2xf32>
  %3 = graph.narrow %2 : tensor<2xf32> -> tensor<2xf32>
  func.return %3 : tensor<2xf32>
}
