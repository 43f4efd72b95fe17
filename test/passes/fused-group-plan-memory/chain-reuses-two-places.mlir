// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// A value dies when its last reader ends, so a reader's result may not overlap it but the one after may.

// CHECK: builtin.module attributes {fused_group.arena_bytes = 8192 : i64}
builtin.module {
  loop.kernel @g0(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    // CHECK: offsets = array<i64: 0>
    %a = fused_group.launch @g0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: offsets = array<i64: 4096>
    %b = fused_group.launch @g0(%a) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: offsets = array<i64: 0>
    %c = fused_group.launch @g0(%b) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: offsets = array<i64: -1>
    %d = fused_group.launch @g0(%c) : (tensor<1024xf32>) -> tensor<1024xf32>
    func.return %d : tensor<1024xf32>
  }
}
