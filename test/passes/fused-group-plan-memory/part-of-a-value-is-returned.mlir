// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// The caller's buffer holds the part only, so the value is in the arena, and stays until the end.

// CHECK: fused_group.arena_bytes = 4096 : i64
builtin.module {
  loop.kernel @g0(%x: memref<512xf32>, %y: memref<512xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<512xf32>) -> (tensor<256xf32>, tensor<512xf32>) {
    // CHECK: offsets = array<i64: 0>
    %a = fused_group.launch @g0(%x) : (tensor<512xf32>) -> tensor<512xf32>
    // CHECK: offsets = array<i64: 2048>
    %b = fused_group.launch @g0(%a) : (tensor<512xf32>) -> tensor<512xf32>
    // CHECK: offsets = array<i64: -2>
    %c = fused_group.launch @g0(%b) : (tensor<512xf32>) -> tensor<512xf32>
    %p = graph.slice %a {starts = array<i64: 256>, stops = array<i64: 512>, steps = array<i64: 1>} : tensor<512xf32> -> tensor<256xf32>
    func.return %p, %c : tensor<256xf32>, tensor<512xf32>
  }
}
