// RUN: dlc-opt %s --fused-group-plan-memory -t host | filecheck %s

builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %w: memref<64xf32>, %y: memref<64xf32>, %s: memref<9xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 9>} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32> {graph.name = "in \22 put"}) -> (tensor<64xf32>, tensor<64xf32>) {
    %v = graph.weight @w0 : tensor<3xf32>
    %w = graph.weight @w1 : tensor<64xf32>
    %a = fused_group.launch @g0(%x, %w) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %b = fused_group.launch @g0(%a, %w) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    func.return %b, %x : tensor<64xf32>, tensor<64xf32>
  }
}

// CHECK: static const int64_t input0[] = {64};
// CHECK: {"in \042 put", DLC_FLOAT32, 1, input0, 256u}
// CHECK: {"output0", DLC_FLOAT32, 1, output0, 256u}
// CHECK: const int32_t dlc_output_count = 2;
// CHECK: const uint64_t dlc_workspace_bytes = 512u;
// CHECK: void g0(void *, void *, void *, void *);
// CHECK: g0((unsigned char *)inputs[0] + 0u, (void *)(weights + 0u), workspace + {{[0-9]+}}u, workspace + {{[0-9]+}}u);
// CHECK-NEXT: g0(workspace + {{[0-9]+}}u, (void *)(weights + 0u), (unsigned char *)outputs[0] + 0u, workspace + {{[0-9]+}}u);
// CHECK-NEXT: memcpy((unsigned char *)outputs[1] + 0u, (unsigned char *)inputs[0] + 0u, 256u);
