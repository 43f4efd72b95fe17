// RUN: not dlc-opt %s --fused-group-plan-memory 2>&1 | filecheck %s

// CHECK: launch @g0 reads what @g1 gives, and does not come after it
builtin.module {
  loop.kernel @g0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  loop.kernel @g1(%x: memref<8xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %a = fused_group.launch @g0(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = fused_group.launch @g1(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %c = graph.reshape %b {sizes = array<i64: 2, 4>} : tensor<8xf32> -> tensor<2x4xf32>
    %d = graph.reshape %c {sizes = array<i64: 8>} : tensor<2x4xf32> -> tensor<8xf32>
    %e = fused_group.launch @g0(%d) {after = array<i64: 2>} : (tensor<8xf32>) -> tensor<8xf32>
    func.return %e : tensor<8xf32>
  }
}
