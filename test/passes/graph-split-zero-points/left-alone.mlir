// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s

// CHECK-LABEL: @wide_factor
func.func @wide_factor(%a: tensor<5x64xi32>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul %a, %{{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  %0 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %a, %0 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @sixteen_bits
func.func @sixteen_bits(%a: tensor<5x64xi16>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xi16> -> tensor<5x64xi32>
  %1 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %0, %1 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @real_numbers
func.func @real_numbers(%a: tensor<5x64xi8>, %b: tensor<64x7xi8>) -> tensor<5x7xf32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xf32>, tensor<64x7xf32>)
  %0 = graph.cast %a {to = f32} : tensor<5x64xi8> -> tensor<5x64xf32>
  %1 = graph.cast %b {to = f32} : tensor<64x7xi8> -> tensor<64x7xf32>
  %y = graph.matmul %0, %1 : (tensor<5x64xf32>, tensor<64x7xf32>) -> tensor<5x7xf32>
  func.return %y : tensor<5x7xf32>
}

// CHECK-LABEL: @zero_point_along_the_reduction
func.func @zero_point_along_the_reduction(%a: tensor<5x64xui8>, %p: tensor<64xi32>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<64xi32>) -> tensor<5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %1, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @difference_that_grows
func.func @difference_that_grows(%a: tensor<1x64xui8>, %p: tensor<5x1xi32>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  %0 = graph.cast %a {to = i32} : tensor<1x64xui8> -> tensor<1x64xi32>
  %1 = graph.sub %0, %p : (tensor<1x64xi32>, tensor<5x1xi32>) -> tensor<5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %1, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}
