// RUN: dlc-opt %s --loop-alternate-sweeps=arch=cpu-avx512 --split-input-file | filecheck %s
// RUN: dlc-opt %s --loop-alternate-sweeps=arch=sm_90a --split-input-file | filecheck %s

// CHECK-NOT: backward

// Two kernels read their weights by turns: nothing of the other's is left in the cache.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
    loop.yield
  }
  loop.end
}
loop.kernel @l(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
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
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
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

// -----

// What is read is no weight.
loop.kernel @k(%x: memref<8xf32>, %w: memref<1024x1024xf32>, %y: memref<8xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = cores {
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
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
    %z = arith.constant 0.000000e+00 : f32
    %s = loop.for %k = 0 to 1024 kind = reduction map = serial iter_args(%a = %z) -> (f32) {
      %0 = loop.load %w[%i, %k] : memref<1024x1024xf32> -> f32
      %1 = arith.addf %a, %0 : f32
      loop.yield %1 : f32
    }
    loop.store %s, %y[%i] : f32 -> memref<8xf32>
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
