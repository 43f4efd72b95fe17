// RUN: dlc-opt %s --fused-group-plan-memory | filecheck %s

// What is filled is so when the run begins: @wait's result and scratch buffer share no byte with what is there before,
// though %a is read for the last time before @wait begins.
// CHECK: fused_group.arena_bytes = 1280 : i64
builtin.module {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @wait(%x: memref<64xf32>, %y: memref<64xf32>, %s: memref<64xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 256>, cooperative, filled = array<i64: 1, 2>} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    // CHECK: launch @g0(%x) {offsets = array<i64: 768>}
    %a = fused_group.launch @g0(%x) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: launch @g0(%a) {offsets = array<i64: 1024>}
    %b = fused_group.launch @g0(%a) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: launch @wait(%b) {offsets = array<i64: 0, 256>}
    %c = fused_group.launch @wait(%b) : (tensor<64xf32>) -> tensor<64xf32>
    // CHECK: launch @g0(%c) {offsets = array<i64: -1>}
    %d = fused_group.launch @g0(%c) : (tensor<64xf32>) -> tensor<64xf32>
    // An output of the model is filled where the caller wants it.
    // CHECK: launch @wait(%{{.*}}) {offsets = array<i64: -2, 512>}
    %e = fused_group.launch @wait(%c) : (tensor<64xf32>) -> tensor<64xf32>
    func.return %d, %e : tensor<64xf32>, tensor<64xf32>
  }
}
