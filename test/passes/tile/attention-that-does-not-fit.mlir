// RUN: dlc-opt %s --tile=arch=h200 --split-input-file --verify-diagnostics

// Scores, sums and queries of a thread must be there at a time, whatever the assembler makes of the rest. Threads that
// multiply beside producers have what these leave them.

func.func @main(%x: tensor<1x130x128xf16>, %y: tensor<1x600x128xf16>) -> tensor<1x130x128xf16> {
  // expected-error@below {{needs at least 276 registers per thread, sm_90a has 240 for threads that multiply; lower rows or step, or raise warps}}
  %0 = fused_group.group @g(%x, %y) : (tensor<1x130x128xf16>, tensor<1x600x128xf16>) -> tensor<1x130x128xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 128, step = 256, warps = 8, instruction = "wgmma.m64k16", stages = 1, producers = 4, producer_registers = 24>} {
  ^bb0(%q: tensor<1x130x128xf16>, %k: tensor<1x600x128xf16>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<1x130x128xf16>, tensor<1x600x128xf16>) -> tensor<1x130x600xf16>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<1x130x600xf16> -> tensor<1x130x1xf16>
    %d = graph.sub %s, %m : (tensor<1x130x600xf16>, tensor<1x130x1xf16>) -> tensor<1x130x600xf16>
    %e = graph.exp %d : tensor<1x130x600xf16> -> tensor<1x130x600xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<1x130x600xf16> -> tensor<1x130x1xf16>
    %w = graph.div %e, %t : (tensor<1x130x600xf16>, tensor<1x130x1xf16>) -> tensor<1x130x600xf16>
    %z = graph.matmul %w, %k : (tensor<1x130x600xf16>, tensor<1x600x128xf16>) -> tensor<1x130x128xf16>
    fused_group.yield %z : tensor<1x130x128xf16>
  }
  func.return %0 : tensor<1x130x128xf16>
}

// -----

func.func @main(%x: tensor<1x130x128xf16>, %y: tensor<1x600x128xf16>) -> tensor<1x130x128xf16> {
  // expected-error@below {{needs at least 248 registers per thread, sm_90a has 168 for threads that multiply; lower rows or step, or raise warps}}
  %0 = fused_group.group @g(%x, %y) : (tensor<1x130x128xf16>, tensor<1x600x128xf16>) -> tensor<1x130x128xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 256, step = 64, warps = 8, instruction = "wgmma.m64k16", stages = 1, producers = 4>} {
  ^bb0(%q: tensor<1x130x128xf16>, %k: tensor<1x600x128xf16>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<1x130x128xf16>, tensor<1x600x128xf16>) -> tensor<1x130x600xf16>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<1x130x600xf16> -> tensor<1x130x1xf16>
    %d = graph.sub %s, %m : (tensor<1x130x600xf16>, tensor<1x130x1xf16>) -> tensor<1x130x600xf16>
    %e = graph.exp %d : tensor<1x130x600xf16> -> tensor<1x130x600xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<1x130x600xf16> -> tensor<1x130x1xf16>
    %w = graph.div %e, %t : (tensor<1x130x600xf16>, tensor<1x130x1xf16>) -> tensor<1x130x600xf16>
    %z = graph.matmul %w, %k : (tensor<1x130x600xf16>, tensor<1x600x128xf16>) -> tensor<1x130x128xf16>
    fused_group.yield %z : tensor<1x130x128xf16>
  }
  func.return %0 : tensor<1x130x128xf16>
}

// -----


func.func @main(%x: tensor<6x130x128xf16>, %y: tensor<6x600x128xf16>) -> tensor<6x130x128xf16> {
  // expected-error@below {{order = "last<4>" is of products in groups of 4; there are 6, take a number that divides it}}
  %0 = fused_group.group @g(%x, %y) : (tensor<6x130x128xf16>, tensor<6x600x128xf16>) -> tensor<6x130x128xf16> attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, order = "last<4>">} {
  ^bb0(%q: tensor<6x130x128xf16>, %k: tensor<6x600x128xf16>):
    %s = graph.matmul %q, %k transpose_rhs : (tensor<6x130x128xf16>, tensor<6x600x128xf16>) -> tensor<6x130x600xf16>
    %m = graph.reduce_max %s axes [2] keep_dims : tensor<6x130x600xf16> -> tensor<6x130x1xf16>
    %d = graph.sub %s, %m : (tensor<6x130x600xf16>, tensor<6x130x1xf16>) -> tensor<6x130x600xf16>
    %e = graph.exp %d : tensor<6x130x600xf16> -> tensor<6x130x600xf16>
    %t = graph.reduce_sum %e axes [2] keep_dims : tensor<6x130x600xf16> -> tensor<6x130x1xf16>
    %w = graph.div %e, %t : (tensor<6x130x600xf16>, tensor<6x130x1xf16>) -> tensor<6x130x600xf16>
    %z = graph.matmul %w, %k : (tensor<6x130x600xf16>, tensor<6x600x128xf16>) -> tensor<6x130x128xf16>
    fused_group.yield %z : tensor<6x130x128xf16>
  }
  func.return %0 : tensor<6x130x128xf16>
}
