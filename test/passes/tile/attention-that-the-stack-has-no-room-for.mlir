// RUN: dlc-opt %s --tile=arch=cpu-avx512 --split-input-file --verify-diagnostics

// Scores of a step take a thread's stack: fewer of them help, in a smaller tile, in fewer tiles, or in a shorter step.

func.func @main(%x: tensor<1x64x64xf32>, %y: tensor<1x4096x64xf32>) -> tensor<1x64x64xf32> {
  // expected-error@below {{needs 136288 bytes of a thread's stack, of which a kernel may take 65536; lower tile or tiles, or give a step}}
  %0 = fused_group.group @g(%x, %y) : (tensor<1x64x64xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x64xf32> attributes {schedule = #loop.schedule<strategy = "attention", target = "cpu", tile = [8, 32], lanes = 16>} {
  ^bb0(%q: tensor<1x64x64xf32>, %k: tensor<1x4096x64xf32>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<1x64x64xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x4096xf32>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<1x64x4096xf32> -> tensor<1x64x1xf32>
    %d = graph.sub %s, %m : (tensor<1x64x4096xf32>, tensor<1x64x1xf32>) -> tensor<1x64x4096xf32>
    %e = graph.exp %d : tensor<1x64x4096xf32> -> tensor<1x64x4096xf32>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<1x64x4096xf32> -> tensor<1x64x1xf32>
    %w = graph.div %e, %t : (tensor<1x64x4096xf32>, tensor<1x64x1xf32>) -> tensor<1x64x4096xf32>
    %z = graph.matmul %w, %k : (tensor<1x64x4096xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x64xf32>
    fused_group.yield %z : tensor<1x64x64xf32>
  }
  func.return %0 : tensor<1x64x64xf32>
}

// -----

func.func @main(%x: tensor<1x64x64xf32>, %y: tensor<1x4096x64xf32>) -> tensor<1x64x64xf32> {
  // expected-error@below {{needs 300288 bytes of a thread's stack, of which a kernel may take 65536; lower tile, tiles or step}}
  %0 = fused_group.group @g(%x, %y) : (tensor<1x64x64xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x64xf32> attributes {schedule = #loop.schedule<strategy = "attention", target = "cpu", tile = [8, 32], lanes = 16, tiles = 8, step = 1024>} {
  ^bb0(%q: tensor<1x64x64xf32>, %k: tensor<1x4096x64xf32>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<1x64x64xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x4096xf32>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<1x64x4096xf32> -> tensor<1x64x1xf32>
    %d = graph.sub %s, %m : (tensor<1x64x4096xf32>, tensor<1x64x1xf32>) -> tensor<1x64x4096xf32>
    %e = graph.exp %d : tensor<1x64x4096xf32> -> tensor<1x64x4096xf32>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<1x64x4096xf32> -> tensor<1x64x1xf32>
    %w = graph.div %e, %t : (tensor<1x64x4096xf32>, tensor<1x64x1xf32>) -> tensor<1x64x4096xf32>
    %z = graph.matmul %w, %k : (tensor<1x64x4096xf32>, tensor<1x4096x64xf32>) -> tensor<1x64x64xf32>
    fused_group.yield %z : tensor<1x64x64xf32>
  }
  func.return %0 : tensor<1x64x64xf32>
}
