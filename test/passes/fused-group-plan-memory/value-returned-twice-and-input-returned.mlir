// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// The first output owns the buffer; the others, and a returned input, are copied by the host program.

// CHECK: fused_group.arena_bytes = 0 : i64
builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    // CHECK: offsets = array<i64: -2>
    %a = fused_group.launch @g0(%x) : (tensor<64xf32>) -> tensor<64xf32>
    func.return %x, %a, %a : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
