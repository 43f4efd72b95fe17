// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// Launches that may run beside each other live at the same time: neither takes the place of what the other one reads, or
// has for itself. In a line %c would take the place of %b, and the scratch buffers would share one.

// CHECK: builtin.module attributes {fused_group.arena_bytes = 20480 : i64}
builtin.module {
  loop.kernel @g0(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g1(%x: memref<1024xf32>, %y: memref<1024xf32>, %s: memref<1024xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 4096>} {
    loop.end
  }
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    // CHECK: launch @g0(%x) {offsets = array<i64: 0>}
    %a = fused_group.launch @g0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g1(%a) {offsets = array<i64: 4096, 8192>}
    %b = fused_group.launch @g1(%a) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g1(%a) {beside, offsets = array<i64: 12288, 16384>}
    %c = fused_group.launch @g1(%a) {beside} : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g0(%c) {offsets = array<i64: 0>}
    %d = fused_group.launch @g0(%c) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g0(%d) {offsets = array<i64: -1>}
    %e = fused_group.launch @g0(%d) : (tensor<1024xf32>) -> tensor<1024xf32>
    func.return %e : tensor<1024xf32>
  }
}
