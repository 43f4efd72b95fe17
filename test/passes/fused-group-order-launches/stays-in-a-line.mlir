// RUN: dlc-opt --fused-group-order-launches=arch=sm_80 %s | filecheck %s --check-prefix=NONE
// RUN: dlc-opt --fused-group-order-launches="arch=sm_90a early=false" %S/branches-run-beside-each-other.mlir | filecheck %s --check-prefix=OFF
// RUN: dlc-opt --fused-group-order-launches=arch=sm_90a %s | filecheck %s --check-prefix=NONE

// Chips without griddepcontrol; and what depends on what is before it, has no room, is large, says itself when it begins, or
// needs all its blocks at a time.
// NONE-NOT: beside
// OFF: launch @add
// OFF-NOT: beside

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
  gpu.kernel @decided(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
    gpu.end
  }
  gpu.kernel @together(%x: memref<8xf32>, %y: memref<8xf32>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative} {
    gpu.end
  }
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>) {
    // NONE: launch @small(%x)
    // NONE-NEXT: launch @small(%a)
    // NONE-NEXT: launch @full(%x)
    // NONE-NEXT: launch @large(%x)
    // NONE-NEXT: launch @decided(%x)
    // NONE-NEXT: launch @together(%x)
    %a = fused_group.launch @small(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @small(%a) : (tensor<8xf32>) -> tensor<8xf32>
    %c = fused_group.launch @full(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %d = fused_group.launch @large(%x) : (tensor<8xf32>) -> tensor<1024x1024xf32>
    %e = fused_group.launch @decided(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %f = fused_group.launch @together(%x) : (tensor<8xf32>) -> tensor<8xf32>
    func.return %b, %c, %d, %e, %f : tensor<8xf32>, tensor<8xf32>, tensor<1024x1024xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
