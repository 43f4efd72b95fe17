// RUN: dlc-opt %s --tile=arch=cpu-avx2 --split-input-file --verify-diagnostics

// A person writes schedules: what a key cannot hold, and a key that there is not, is said.

func.func @main(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  // expected-error@below {{schedule key corse is unknown; map on a CPU has cores}}
  %0 = fused_group.group @g0(%x) : (tensor<64x96xf32>) -> tensor<64x96xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", corse = true>} {
  ^bb0(%a: tensor<64x96xf32>):
    %1 = graph.relu %a : tensor<64x96xf32> -> tensor<64x96xf32>
    fused_group.yield %1 : tensor<64x96xf32>
  }
  func.return %0 : tensor<64x96xf32>
}

// -----

func.func @main(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  // expected-error@below {{schedule key cores should be true or false, is 2}}
  %0 = fused_group.group @g0(%x) : (tensor<64x96xf32>) -> tensor<64x96xf32> attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = 2>} {
  ^bb0(%a: tensor<64x96xf32>):
    %1 = graph.relu %a : tensor<64x96xf32> -> tensor<64x96xf32>
    fused_group.yield %1 : tensor<64x96xf32>
  }
  func.return %0 : tensor<64x96xf32>
}

// -----

func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x32xf32>) -> tensor<64x32xf32> {
  // expected-error@below {{the tile needs 47 SIMD registers, cpu-avx2 has 16; lower tile}}
  %0 = fused_group.group @g0(%x, %w) : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32> attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [24, 16], lanes = 8>} {
  ^bb0(%a: tensor<64x96xf32>, %b: tensor<96x32xf32>):
    %1 = graph.matmul %a, %b : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
    fused_group.yield %1 : tensor<64x32xf32>
  }
  func.return %0 : tensor<64x32xf32>
}
