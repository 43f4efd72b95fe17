// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s
// RUN: dlc-opt --fused-group-order-launches="arch=sm_90a workspace=8255" %s | filecheck %s --check-prefix=LITTLE

// The first stretch has 8256 bytes of results: two of 4096, and two of 32. The second one has little.

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
    // CHECK-NEXT: launch @wide(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @half(%a) {after = array<i64: 1>} :
    // CHECK-NEXT: launch @wide(%x) {after = array<i64>} :
    // CHECK-NEXT: launch @half(%c) {after = array<i64: 1>} :
    // LITTLE-NEXT: launch @wide(%x) :
    // LITTLE-NEXT: launch @half(%a) :
    // LITTLE-NEXT: launch @wide(%x) :
    // LITTLE-NEXT: launch @half(%c) :
    %a = fused_group.launch @wide(%x) : (tensor<8xf32>) -> tensor<1024xf32>
    %b = fused_group.launch @half(%a) : (tensor<1024xf32>) -> tensor<8xf32>
    %c = fused_group.launch @wide(%x) : (tensor<8xf32>) -> tensor<1024xf32>
    %d = fused_group.launch @half(%c) : (tensor<1024xf32>) -> tensor<8xf32>
    // LITTLE-NEXT: launch @add(%b, %d) :
    %e = fused_group.launch @add(%b, %d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // LITTLE-NEXT: launch @k(%e) {after = array<i64: 1>} :
    // LITTLE-NEXT: launch @k(%e) {after = array<i64: 2>} :
    // LITTLE-NEXT: launch @add(%f, %g) :
    %f = fused_group.launch @k(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %g = fused_group.launch @k(%e) : (tensor<8xf32>) -> tensor<8xf32>
    %h = fused_group.launch @add(%f, %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    func.return %h : tensor<8xf32>
  }
}
