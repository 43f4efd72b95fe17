// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// What is filled when the run begins shares no byte with what ends before its launch, also where launches run at the same
// time: %a and %b are read for the last time before @wait begins.
builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @add(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @wait(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<64xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 256>, cooperative, filled = array<i64: 1, 2>} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    // CHECK:      launch @g0(%x) {after = array<i64>, offsets = array<i64: [[A:512|768]]>}
    %a = fused_group.launch @g0(%x) {after = array<i64>} : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK-NEXT: launch @g0(%x) {after = array<i64>, offsets = array<i64: [[B:512|768|1024]]>}
    %b = fused_group.launch @g0(%x) {after = array<i64>} : (tensor<64xf32>) -> tensor<64xf32>
    %c = fused_group.launch @add(%a, %b) {after = array<i64: 1, 2>} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    // CHECK:      launch @wait(%c) {after = array<i64: 1>, offsets = array<i64: 0, 256>}
    %d = fused_group.launch @wait(%c) {after = array<i64: 1>} : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK-NEXT: launch @g0(%c) {after = array<i64: 2>, offsets = array<i64: {{512|768}}>}
    %e = fused_group.launch @g0(%c) {after = array<i64: 2>} : (tensor<64xf32>) -> tensor<64xf32>
    %f = fused_group.launch @add(%d, %e) {after = array<i64: 1, 2>} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    func.return %f : tensor<64xf32>
  }
}
