// RUN: dlc-opt %s -t host --verify-diagnostics --split-input-file

// expected-error@unknown {{the module has no memory plan; run fused-group-plan-memory first}}
builtin.module {
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    func.return %x : tensor<64xf32>
  }
}

// -----

builtin.module attributes {fused_group.arena_bytes = 0 : i64} {
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    // expected-error@below {{graph.relu is in no kernel; run fuse and lower-to-loop first}}
    %y = graph.relu %x : tensor<64xf32> -> tensor<64xf32>
    func.return %y : tensor<64xf32>
  }
}

// -----

builtin.module attributes {fused_group.arena_bytes = 0 : i64} {
  func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<128xf32> {
    // expected-error@below {{its operands were not written where its result is; only fuse leaves such ops}}
    %z = graph.concat %x, %y {axis = 0 : i64} : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
    func.return %z : tensor<128xf32>
  }
}

// -----

builtin.module attributes {fused_group.arena_bytes = 0 : i64} {
  loop.kernel @g0(%x: memref<64xf32>, %y: memref<64xf32>) attributes {outputs = 1 : i64} {
    loop.end
  }
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    // expected-error@unknown {{group name '*/' is no C identifier; rename the symbol}}
    %y = fused_group.launch @g0(%x) of "*/" {offsets = array<i64: -1>} : (tensor<64xf32>) -> tensor<64xf32>
    func.return %y : tensor<64xf32>
  }
}
