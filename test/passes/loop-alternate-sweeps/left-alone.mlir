// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx512 --split-input-file | filecheck %s
// RUN: dlc-opt %s --loop-alternate-sweeps=arch=sm_90a --split-input-file | filecheck %s

// CHECK-NOT: backward

// Two kernels read their weights by turns: nothing of the other's is left in the cache.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
loop.kernel @l(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = graph.weight @w : tensor<1024x1024xf32>
  %0 = fused_group.launch @k(%x, %w) : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %1 = fused_group.launch @l(%0, %w) : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %2 = fused_group.launch @k(%1, %w) of "g2" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// -----

// Each launch reads other weights.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %w = graph.weight @w : tensor<1024x1024xf32>
  %v = graph.weight @v : tensor<1024x1024xf32>
  %0 = fused_group.launch @k(%x, %w) : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %1 = fused_group.launch @k(%0, %v) of "g1" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

