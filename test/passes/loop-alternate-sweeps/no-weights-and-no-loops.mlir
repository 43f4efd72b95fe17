// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx512 --split-input-file | filecheck %s

// CHECK-NOT: backward

// What is read is no weight.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    loop.for %k = 0 to 8 kind = parallel map = serial {
      loop.yield
    }
    loop.yield
  }
  loop.end
}
func.func @main(%x: tensor<8xf32>, %w: tensor<1024x1024xf32>) -> tensor<8xf32> {
  %0 = fused_group.launch @k(%x, %w) : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  %1 = fused_group.launch @k(%0, %w) of "g1" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// -----

// No loop is spread over cores.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = serial {
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
  %1 = fused_group.launch @k(%0, %w) of "g1" : (tensor<8xf32>, tensor<1024x1024xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
