// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx512 | filecheck %s
// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx2 | filecheck %s --check-prefix=SMALL

// A core's cache holds 1 MB of weights here, and the other one does not.
// CHECK-NOT: backward
// SMALL:     fused_group.launch @k_backward
loop.kernel @k(%x: memref<8xf32>, %w: memref<512x512xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = graph.weight @w : tensor<512x512xf32>
  %0 = fused_group.launch @k(%x, %w) : (tensor<8xf32>, tensor<512x512xf32>) -> tensor<8xf32>
  %1 = fused_group.launch @k(%0, %w) of "g1" : (tensor<8xf32>, tensor<512x512xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
