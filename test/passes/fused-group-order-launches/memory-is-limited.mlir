// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s
// RUN: dlc-opt --fused-group-order-launches="arch=sm_90a workspace=8192" %s | filecheck %s --check-prefix=LITTLE

// Beside each other both large results are there at once, which is more than the limit and more than a line takes. The
// second stretch has small results only.

builtin.module {
  gpu.kernel @wide(%x: memref<8xf32>, %y: memref<1024xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @half(%x: memref<1024xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @add(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @k(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // CHECK-LABEL: func.func @main
  // LITTLE-LABEL: func.func @main
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: launch @wide(%x) of "a" :
    // CHECK-NEXT: launch @wide(%x) of "c" {beside} :
    // CHECK-NEXT: launch @half(%{{.*}}) of "b" :
    // CHECK-NEXT: launch @half(%{{.*}}) of "d" {beside} :
    // LITTLE: launch @wide(%x) of "a" :
    // LITTLE-NEXT: launch @half(%{{.*}}) of "b" :
    // LITTLE-NEXT: launch @wide(%x) of "c" :
    // LITTLE-NEXT: launch @half(%{{.*}}) of "d" :
    %a = fused_group.launch @wide(%x) of "a" : (tensor<8xf32>) -> tensor<1024xf32>
    %b = fused_group.launch @half(%a) of "b" : (tensor<1024xf32>) -> tensor<8xf32>
    %c = fused_group.launch @wide(%x) of "c" : (tensor<8xf32>) -> tensor<1024xf32>
    %d = fused_group.launch @half(%c) of "d" : (tensor<1024xf32>) -> tensor<8xf32>
    // CHECK-NEXT: launch @add(%{{.*}}) of "e" :
    // LITTLE-NEXT: launch @add(%{{.*}}) of "e" :
    %e = fused_group.launch @add(%b, %d) of "e" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // LITTLE-NEXT: launch @k(%{{.*}}) of "f" :
    // LITTLE-NEXT: launch @k(%{{.*}}) of "g" {beside} :
    %f = fused_group.launch @k(%e) of "f" : (tensor<8xf32>) -> tensor<8xf32>
    %g = fused_group.launch @k(%e) of "g" : (tensor<8xf32>) -> tensor<8xf32>
    // LITTLE-NEXT: launch @add(%{{.*}}) of "h" :
    %h = fused_group.launch @add(%f, %g) of "h" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %h : tensor<8xf32>
  }
}
