// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s
// RUN: dlc-opt --fused-group-order-launches=arch=sm_80 %S/branches-run-at-the-same-time.mlir | filecheck %s --check-prefix=OFF
// RUN: dlc-opt --fused-group-order-launches="arch=sm_90a early=false" %S/branches-run-at-the-same-time.mlir | filecheck %s --check-prefix=OFF

// OFF: launch @add
// OFF-NOT: after

builtin.module {
  gpu.kernel @small(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @full(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 132, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 1 : i64, resident_blocks = 1 : i64} {
    gpu.end
  }
  gpu.kernel @large(%x: memref<8xf32>, %y: memref<1024x1024xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  gpu.kernel @together(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative} {
    gpu.end
  }
  // Each reads what the one before it gives.
  // CHECK-LABEL: func.func @chain
  // CHECK-NOT: after
  func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
    %a = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @small(%a) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %b : tensor<8xf32>
  }
  // Each fills the chip.
  // CHECK-LABEL: func.func @no_room
  // CHECK-NOT: after
  func.func @no_room(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %a = fused_group.launch @full(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @full(%x) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b : tensor<8xf32>, tensor<8xf32>
  }
  // What is large or cooperative stands by itself: nothing is left that could run beside it.
  // CHECK-LABEL: func.func @alone
  // CHECK-NOT: after
  func.func @alone(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>) {
    %a = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @large(%x) : (tensor<8xf32>) -> tensor<1024x1024xf32>
    %c = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @together(%x) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b, %c, %d : tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>
  }
  // A person has decided.
  // CHECK-LABEL: func.func @decided
  // CHECK: launch @small(%x) :
  // CHECK-NEXT: launch @small(%x) :
  // CHECK-NEXT: launch @small(%x) {after = array<i64: 2>} :
  func.func @decided(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %a = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @small(%x) {after = array<i64: 2>} : (tensor<8xf32>) -> tensor<8xf32>
    func.return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
