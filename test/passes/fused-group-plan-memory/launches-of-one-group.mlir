// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// What one launch of a group hands to the next lives until then: its place is free for what comes after.

// CHECK: builtin.module attributes {fused_group.arena_bytes = 8192 : i64}
builtin.module {
  loop.kernel @g0_1(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g0_2(%t: memref<1024xf32>, %x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    // CHECK: of "g0" {offsets = array<i64: 0>}
    %t = fused_group.launch @g0_1(%x) of "g0" : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: of "g0" {offsets = array<i64: 4096>}
    %a = fused_group.launch @g0_2(%t, %x) of "g0" : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: of "g1" {offsets = array<i64: 0>}
    %u = fused_group.launch @g0_1(%a) of "g1" : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: of "g1" {offsets = array<i64: -1>}
    %b = fused_group.launch @g0_2(%u, %a) of "g1" : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    func.return %b : tensor<1024xf32>
  }
}
