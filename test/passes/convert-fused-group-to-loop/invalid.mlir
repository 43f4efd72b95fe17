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
