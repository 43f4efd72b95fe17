// RUN: dlc-opt --gpu-set-dependents=arch=sm_80 %s | filecheck %s --check-prefix=NONE
// RUN: dlc-opt --gpu-set-dependents="arch=sm_90a early=false" %s | filecheck %s --check-prefix=NONE
// RUN: dlc-opt --gpu-set-dependents=arch=sm_90a %s | filecheck %s

// Chips without griddepcontrol, and what is switched off.
// NONE-NOT: constant_inputs = array<i64>
// NONE-NOT: dependents

builtin.module {
  gpu.kernel @free(%x: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  // What a person has decided.
  // CHECK: gpu.kernel @decided
  // CHECK-SAME: outputs = 1 : i64, constant_inputs = array<i64: 0>, dependents} {
  gpu.kernel @decided(%x: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0>} {
    gpu.end
  }
  // Its blocks wait for each other.
  // CHECK: gpu.kernel @together
  // CHECK-SAME: outputs = 1 : i64, cooperative} {
  gpu.kernel @together(%x: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative} {
    gpu.end
  }
  // Nobody launches it.
  // CHECK: gpu.kernel @alone
  // CHECK-SAME: outputs = 1 : i64} {
  gpu.kernel @alone(%x: memref<4xf32>, %y: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
    gpu.end
  }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fused_group.launch @free(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fused_group.launch @decided(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = fused_group.launch @free(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = fused_group.launch @together(%x) : (tensor<4xf32>) -> tensor<4xf32>
    func.return %2 : tensor<4xf32>
  }
}
