// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// CHECK: fused_group.arena_bytes = 8192 : i64
builtin.module {
  loop.kernel @g0(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g1(%x: memref<32x32xf32>, %z: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<1024xf32>) -> tensor<32x32xf32> {
    // CHECK: offsets = array<i64: 0>
    %a = fused_group.launch @g0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
    %r = graph.reshape %a {sizes = array<i64: 32, 32>} : tensor<1024xf32> -> tensor<32x32xf32>
    // CHECK: offsets = array<i64: 4096>
    %b = fused_group.launch @g0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: offsets = array<i64: -1>
    %c = fused_group.launch @g1(%r, %b) : (tensor<32x32xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    %d = graph.reshape %c {sizes = array<i64: 32, 32>} : tensor<1024xf32> -> tensor<32x32xf32>
    func.return %d : tensor<32x32xf32>
  }
}
