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

// -----

func.func @no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{fused_group.launch: there is no kernel @g0}}
  %y = fused_group.launch @g0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

loop.kernel @g0(%x: memref<4xf32>, %y: memref<5xf32>) attributes {outputs = 1 : i64} {
  loop.end
}
func.func @other_size(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@below {{tensor 1 is tensor<4xf32>, buffer 1 of @g0 is memref<5xf32>}}
  %y = fused_group.launch @g0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{3 tensors, but @g0 has 2 buffers}}
  %z, %w = fused_group.launch @g0(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @measured(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{loop.measured has time_us, spread_us and count, in this order}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {measured = #loop.measured<time_us = 3.0>} {
  ^bb0(%xi: tensor<8xf32>):
    fused_group.yield %xi : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}

// -----

func.func @measured(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{loop.measured holds a time, its spread and a count above 0}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {measured = #loop.measured<time_us = 3.0, spread_us = 0.0, count = 0>} {
  ^bb0(%xi: tensor<8xf32>):
    fused_group.yield %xi : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}

// -----

func.func @measured(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{loop.measured holds a time, its spread and a count above 0}}
  %y = fused_group.group @g(%x) : (tensor<8xf32>) -> tensor<8xf32> attributes {measured = #loop.measured<time_us = "3", spread_us = 0.0, count = 1>} {
  ^bb0(%xi: tensor<8xf32>):
    fused_group.yield %xi : tensor<8xf32>
  }
  func.return %y : tensor<8xf32>
}

// -----

loop.kernel @g0(%x: memref<4xf32>, %y: memref<4xf32>) attributes {outputs = 1 : i64} {
  loop.end
}
func.func @after_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = fused_group.launch @g0(%x) {after = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{after = [1, 2] should say how many launches before it others stand}}
  %b = fused_group.launch @g0(%x) {after = array<i64: 1, 2>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@below {{after = [0] should say how many launches before it others stand}}
  %c = fused_group.launch @g0(%x) {after = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %c : tensor<4xf32>
}
