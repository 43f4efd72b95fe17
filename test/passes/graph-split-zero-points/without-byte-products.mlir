// RUN: dlc-opt %s --graph-split-zero-points=arch=cpu-avx2 | filecheck %s
// RUN: dlc-opt %s --graph-split-zero-points | filecheck %s --check-prefix=BYTES

// Shorter weights are worth a number per column.
// CHECK-LABEL: @sums_of_a_constant
// BYTES-LABEL: @sums_of_a_constant
func.func @sums_of_a_constant(%a: tensor<5x64xui8>, %p: tensor<i32>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>)
  // BYTES: graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>)
  %b = graph.weight @b : tensor<64x7xi8>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<i32>) -> tensor<5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %1, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// They are not worth adding up rows each time.
// CHECK-LABEL: @sums_at_run_time
// BYTES-LABEL: @sums_at_run_time
func.func @sums_at_run_time(%a: tensor<5x64xui8>, %q: tensor<i32>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  // BYTES: graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>)
  %b = graph.weight @b : tensor<64x7xi8>
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %2 = graph.sub %1, %q : (tensor<64x7xi32>, tensor<i32>) -> tensor<64x7xi32>
  %y = graph.matmul %0, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}

// CHECK-LABEL: @sums_of_a_factor_at_run_time
// BYTES-LABEL: @sums_of_a_factor_at_run_time
func.func @sums_of_a_factor_at_run_time(%a: tensor<5x64xui8>, %p: tensor<i32>, %b: tensor<64x7xi8>) -> tensor<5x7xi32> {
  // CHECK: graph.matmul {{.*}} : (tensor<5x64xi32>, tensor<64x7xi32>)
  // BYTES: graph.matmul %a, %b : (tensor<5x64xui8>, tensor<64x7xi8>)
  %0 = graph.cast %a {to = i32} : tensor<5x64xui8> -> tensor<5x64xi32>
  %1 = graph.sub %0, %p : (tensor<5x64xi32>, tensor<i32>) -> tensor<5x64xi32>
  %2 = graph.cast %b {to = i32} : tensor<64x7xi8> -> tensor<64x7xi32>
  %y = graph.matmul %1, %2 : (tensor<5x64xi32>, tensor<64x7xi32>) -> tensor<5x7xi32>
  func.return %y : tensor<5x7xi32>
}
