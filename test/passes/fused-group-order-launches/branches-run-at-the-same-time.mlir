// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s

// Two branches between launches that depend on all before them: each launch comes after those of its branch;
// those of the longer one go first.

builtin.module {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @add(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %a = fused_group.launch @k(%x) :
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK: %b = fused_group.launch @add(%a, %w) {after = array<i64: 1>} :
    %s = graph.splat 1.0 : f32 -> tensor<2x4xf32>
    %w = graph.reshape %s {sizes = array<i64: 8>} : tensor<2x4xf32> -> tensor<8xf32>
    %b = fused_group.launch @add(%a, %w) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: %c = fused_group.launch @k(%a) {after = array<i64: 2>, first} :
    %c = fused_group.launch @k(%a) : (tensor<8xf32>) -> tensor<8xf32>
    // Through views, too.
    // CHECK: %d = fused_group.launch @k(%v) {after = array<i64: 1>, first} :
    %u = graph.reshape %c {sizes = array<i64: 2, 4>} : tensor<8xf32> -> tensor<2x4xf32>
    %v = graph.reshape %u {sizes = array<i64: 8>} : tensor<2x4xf32> -> tensor<8xf32>
    %d = fused_group.launch @k(%v) : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: %e = fused_group.launch @add(%b, %d) :
    %e = fused_group.launch @add(%b, %d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %e : tensor<8xf32>
  }
  // Nothing is before the first launches.
  // CHECK-LABEL: func.func @at_the_begin
  func.func @at_the_begin(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: launch @k(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @k(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @add(%a, %b) :
    %a = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @add(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %c : tensor<8xf32>
  }
}
