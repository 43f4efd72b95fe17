// RUN: %invalid

func.func @arguments_differ(%x: tensor<8xf32>) {
  // expected-error@below {{the types of the inputs differ from those of the arguments}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%xi: tensor<4xf32>):
    fused_group.yield %xi : tensor<4xf32>
  }
  func.return
}

// -----

func.func @results_differ(%x: tensor<8xf32>) {
  // expected-error@below {{the types of the results differ from those of the yielded values}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%xi: tensor<8xf32>):
    fused_group.yield %xi : tensor<8xf32>
  }
  func.return
}

// -----

func.func @no_graph_op(%x: tensor<8xf32>) {
  // expected-error@below {{a group holds graph ops, not arith.constant}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%xi: tensor<8xf32>):
    %c = arith.constant 1 : i64
    fused_group.yield %xi : tensor<8xf32>
  }
  func.return
}
