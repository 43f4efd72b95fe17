// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// A buffer takes the place of another one where all that touch that one have ended by then. %c does not come after %b: it
// takes neither its place nor that of its scratch buffer, as it would in a line. %d comes after %b only, whose operand %c
// still reads. %e comes after both.

// CHECK: builtin.module attributes {fused_group.arena_bytes = 20480 : i64}
builtin.module {
  loop.kernel @g0(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g1(%x: memref<1024xf32>, %y: memref<1024xf32>, %s: memref<1024xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 4096>} {
    loop.end
  }
  loop.kernel @g2(%x: memref<1024xf32>, %z: memref<1024xf32>, %y: memref<1024xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    // CHECK: launch @g0(%x) {offsets = array<i64: 0>}
    %a = fused_group.launch @g0(%x) : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g1(%a) {after = array<i64: 1>, offsets = array<i64: 4096, 8192>}
    %b = fused_group.launch @g1(%a) {after = array<i64: 1>} : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g1(%a) {after = array<i64: 2>, offsets = array<i64: 12288, 16384>}
    %c = fused_group.launch @g1(%a) {after = array<i64: 2>} : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g0(%b) {after = array<i64: 2>, offsets = array<i64: 8192>}
    %d = fused_group.launch @g0(%b) {after = array<i64: 2>} : (tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g2(%c, %d) {offsets = array<i64: 0>}
    %e = fused_group.launch @g2(%c, %d) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    // CHECK: launch @g0(%e) {offsets = array<i64: -1>}
    %f = fused_group.launch @g0(%e) : (tensor<1024xf32>) -> tensor<1024xf32>
    func.return %f : tensor<1024xf32>
  }
}
