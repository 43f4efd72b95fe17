// RUN: dlc-opt %s --graph-set-precision=precision=fp16 | filecheck %s
// RUN: dlc-opt %s --graph-set-precision=precision=tf32 | filecheck %s --check-prefix=TF32

// CHECK-LABEL: @interface_stays
// TF32-LABEL: @interface_stays
func.func @interface_stays(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  // CHECK-DAG: %[[X:.*]] = graph.cast %x {to = f16}
  // CHECK-DAG: %[[W:.*]] = graph.cast %w {to = f16}
  // CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[W]] : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16>
  // CHECK-NEXT: %[[BACK:.*]] = graph.cast %[[Y]] {to = f32}
  // CHECK-NEXT: func.return %[[BACK]] : tensor<2x4xf32>
  // TF32-NEXT: graph.matmul %x, %w precision tf32
  %y = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @masks_stay_finite
func.func @masks_stay_finite(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: graph.constant dense<[-6.550400e+04, 5.960460e-08]> : tensor<2xf16>
  %m = graph.constant dense<[-3.0e38, 1.0e-12]> : tensor<2xf32>
  %y = graph.add %x, %m : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// Tiny ones keep their signs, infinities and zeros are themselves.
// CHECK-LABEL: @signs_and_infinities
func.func @signs_and_infinities(%x: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: graph.constant dense<"0x01000180007C00FC0080003C"> : tensor<6xf16>
  %m = graph.constant dense<[1.0e-12, -1.0e-12, 0x7F800000, 0xFF800000, -0.0, 1.0]> : tensor<6xf32>
  %y = graph.add %x, %m : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}

// CHECK-LABEL: @not_integers
func.func @not_integers(%x: tensor<2xi64>) -> tensor<2xi64> {
  // CHECK-NEXT: graph.add %x, %x : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %y = graph.add %x, %x : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  func.return %y : tensor<2xi64>
}
