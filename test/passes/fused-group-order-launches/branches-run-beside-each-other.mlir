// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s

// Of what may come next the launch with most behind it comes first, the others beside it. Views and weights follow.

builtin.module {
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @add(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK-LABEL: func.func @main
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %a = fused_group.launch @k(%x) of "a" : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK: launch @k(%x) of "a" :
    // CHECK-NEXT: launch @k(%{{.*}}) of "c" :
    // CHECK-NEXT: graph.splat
    // CHECK-NEXT: graph.reshape
    // CHECK-NEXT: launch @add(%{{.*}}) of "b" {beside} :
    // CHECK-NEXT: launch @k(%{{.*}}) of "d" :
    // CHECK-NEXT: launch @add(%{{.*}}) of "e" :
    // CHECK-NEXT: func.return
    %s = graph.splat 1.0 : f32 -> tensor<2x4xf32>
    %w = graph.reshape %s {sizes = array<i64: 8>} : tensor<2x4xf32> -> tensor<8xf32>
    %b = fused_group.launch @add(%a, %w) of "b" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @k(%a) of "c" : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @k(%c) of "d" : (tensor<8xf32>) -> tensor<8xf32>
    %e = fused_group.launch @add(%b, %d) of "e" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %e : tensor<8xf32>
  }
}
