// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// CHECK: fused_group.arena_bytes = 768 : i64
builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<300xi8>) attributes {outputs = 1 : i64, scratch = array<i64: 300>} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    // CHECK: offsets = array<i64: 512, 0>
    %a = fused_group.launch @g0(%x) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: -2, 0>
    %b = fused_group.launch @g0(%a) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: -1, 0>
    %c = fused_group.launch @g0(%b) : (tensor<64xf32>) -> tensor<64xf32>
    func.return %c, %b : tensor<64xf32>, tensor<64xf32>
  }
}
