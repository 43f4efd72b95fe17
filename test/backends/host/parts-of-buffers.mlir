// RUN: dlc-opt %s --fused-group-plan-memory -t host | filecheck %s

// Parts of an input, of a result and of the caller's output are addresses inside of their buffers; a
// concatenation is where its first operand is.

builtin.module {
  loop.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g1(%x: memref<8xf32>, %y: memref<16xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<4x8xf32>) -> (tensor<16xf32>, tensor<4xf32>, tensor<16xf32>) {
    %0 = graph.slice %x {starts = array<i64: 1, 0>, stops = array<i64: 2, 8>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<1x8xf32>
    %1 = graph.reshape %0 {sizes = array<i64: 8>} : tensor<1x8xf32> -> tensor<8xf32>
    %a = fused_group.launch @g1(%1) : (tensor<8xf32>) -> tensor<16xf32>
    %2 = graph.slice %a {starts = array<i64: 8>, stops = array<i64: 16>, steps = array<i64: 1>} : tensor<16xf32> -> tensor<8xf32>
    %b = fused_group.launch @g0(%2) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = graph.slice %b {starts = array<i64: 4>, stops = array<i64: 8>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<4xf32>
    %c = fused_group.launch @g0(%b) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = graph.concat %c, %b {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    func.return %a, %3, %4 : tensor<16xf32>, tensor<4xf32>, tensor<16xf32>
  }
}

// CHECK: dlc_kernel *const dlc_kernels[] = {g1, g0};
// CHECK: static const dlc_launch launches0[] = {
// CHECK-NEXT: {0, 0, 2, 0},
// CHECK-NEXT: {1, 2, 2, 0},
// CHECK-NEXT: {1, 4, 2, 0}};
// CHECK: static const dlc_address operands0[] = {
// CHECK-NEXT: {DLC_INPUT, 0, 32u},
// CHECK-NEXT: {DLC_OUTPUT, 0, 0u},
// CHECK-NEXT: {DLC_OUTPUT, 0, 32u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, 32u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, 32u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, 0u}};
// CHECK: static const dlc_copy copies0[] = {
// CHECK-NEXT: {{[{]}}{DLC_OUTPUT, 1, 0u}, {DLC_WORKSPACE, 0, 48u}, 16},
// CHECK-NEXT: {{[{]}}{DLC_OUTPUT, 2, 0u}, {DLC_WORKSPACE, 0, 0u}, 64}};
