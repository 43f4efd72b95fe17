// RUN: dlc-opt %s --convert-fused-group-to-loop --split-input-file --verify-diagnostics

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{graph.relu is in no group; run --fuse before this pass}}
  %y = graph.relu %x : tensor<4xf32> -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

func.func @strategy(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{there is no strategy 'fold'; there are: }}
  %y = fused_group.group @g(%x) : (tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<strategy = "fold">} {
  ^bb0(%a: tensor<4xf32>):
    fused_group.yield %a : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}

// -----

func.func @same_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = fused_group.group @g(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    fused_group.yield %a : tensor<4xf32>
  }
  // expected-error @below {{there are two @g; rename one}}
  %z = fused_group.group @g(%y) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    fused_group.yield %a : tensor<4xf32>
  }
  func.return %z : tensor<4xf32>
}

// -----

// The estimate of a matrix in memory counts on tensor copies; in this order its columns are no box.
func.func @order(%x: tensor<60x512xf16>, %v: tensor<53x512xf16>) -> tensor<60x53xf16> {
  // expected-error @below {{tensor copies cannot bring the rhs in this order: a tile is no box of the tensor; use interleave = 1}}
  %z = fused_group.group @g(%x, %v) : (tensor<60x512xf16>, tensor<53x512xf16>) -> tensor<60x53xf16> attributes {
    schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, interleave = 2, copies = "tensor">} {
  ^bb0(%xi: tensor<60x512xf16>, %vi: tensor<53x512xf16>):
    %0 = graph.matmul %xi, %vi transpose_rhs : (tensor<60x512xf16>, tensor<53x512xf16>) -> tensor<60x53xf16>
    fused_group.yield %0 : tensor<60x53xf16>
  }
  func.return %z : tensor<60x53xf16>
}
