// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// The parts stand one after the other in one buffer, which lives from the first part on; what is written in
// between is elsewhere. Neither the whole nor a part is written to the caller: the host program copies them.

// CHECK: fused_group.arena_bytes = 1280 : i64
builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
    // CHECK: offsets = array<i64: 0>
    %a = fused_group.launch @g0(%x) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: 1024>
    %t = fused_group.launch @g0(%a) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: 256>
    %b = fused_group.launch @g0(%t) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: 768>
    %d = fused_group.launch @g0(%b) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: offsets = array<i64: 512>
    %c = fused_group.launch @g0(%d) : (tensor<64xf32>) -> tensor<64xf32>
    %0 = graph.reshape %a {sizes = array<i64: 1, 64>} : tensor<64xf32> -> tensor<1x64xf32>
    %1 = graph.reshape %b {sizes = array<i64: 1, 64>} : tensor<64xf32> -> tensor<1x64xf32>
    %2 = graph.reshape %c {sizes = array<i64: 1, 64>} : tensor<64xf32> -> tensor<1x64xf32>
    %3 = graph.reshape %d {sizes = array<i64: 1, 64>} : tensor<64xf32> -> tensor<1x64xf32>
    %4 = graph.concat %0, %1, %2, %3 {axis = 0 : i64} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<4x64xf32>
    func.return %4, %c : tensor<4x64xf32>, tensor<64xf32>
  }
}
