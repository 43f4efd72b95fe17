// RUN: dlc-opt %s --fused-group-plan-memory -t host | filecheck %s

builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<64xf32>, %s: memref<9xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 9>} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32> {graph.name = "in \22 put"}) -> (tensor<64xf32>, tensor<64xf32>) {
    %v = graph.weight @w0 : tensor<3xf32>
    %w = graph.weight @w1 : tensor<64xf32>
    %a = fused_group.launch @g0(%x, %w) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %b = fused_group.launch @g0(%a, %w) {first} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    func.return %b, %x : tensor<64xf32>, tensor<64xf32>
  }
}

// CHECK: static const int64_t input0[] = {64};
// CHECK: {"in \042 put", DLC_FLOAT32, 1, input0, 256u}
// CHECK: {"output0", DLC_FLOAT32, 1, output0, 256u}
// CHECK: const int32_t dlc_output_count = 2;
// CHECK: dlc_kernel g0;
// CHECK: dlc_kernel *const dlc_kernels[] = {g0};
// CHECK: static const dlc_launch launches0[] = {
// CHECK-NEXT: {0, 0, 4, 0},
// CHECK-NEXT: {0, 4, 4, 1}};
// CHECK: static const dlc_address operands0[] = {
// CHECK-NEXT: {DLC_INPUT, 0, 0u},
// CHECK-NEXT: {DLC_WEIGHT, 0, 0u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, [[A:[0-9]+]]u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, {{[0-9]+}}u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, [[A]]u},
// CHECK-NEXT: {DLC_WEIGHT, 0, 0u},
// CHECK-NEXT: {DLC_OUTPUT, 0, 0u},
// CHECK-NEXT: {DLC_WORKSPACE, 0, {{[0-9]+}}u}};
// CHECK: static const dlc_copy copies0[] = {
// CHECK-NEXT: {{[{]}}{DLC_OUTPUT, 1, 0u}, {DLC_INPUT, 0, 0u}, 256}};
// CHECK: const dlc_steps dlc_program = {512u, 2, 8, 1, launches0, operands0, copies0};
