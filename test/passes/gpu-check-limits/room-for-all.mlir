// RUN: dlc-opt %s --split-input-file --gpu-check-limits=arch=sm_90a --verify-diagnostics

// Two blocks of 1024 threads on each of 132 SMs.
gpu.kernel @fits() attributes {grid = array<i64: 264, 1, 1>, block = array<i64: 1024, 1, 1>, outputs = 0 : i64, cooperative} {
  gpu.end
}

// -----

// expected-error@below {{has 265 blocks that wait for each other, sm_90a has room for 264 at a time; take fewer or smaller ones}}
gpu.kernel @threads() attributes {grid = array<i64: 265, 1, 1>, block = array<i64: 1024, 1, 1>, outputs = 0 : i64, cooperative} {
  gpu.end
}

// -----

// expected-error@below {{has 133 blocks that wait for each other, sm_90a has room for 132 at a time; take fewer or smaller ones}}
gpu.kernel @shared() attributes {grid = array<i64: 133, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, shared_bytes = 120000 : i64, cooperative} {
  gpu.end
}

// -----

// 176 registers a thread.
// expected-error@below {{has 133 blocks that wait for each other, sm_90a has room for 132 at a time; take fewer or smaller ones}}
gpu.kernel @registers() attributes {grid = array<i64: 133, 1, 1>, block = array<i64: 256, 1, 1>, outputs = 0 : i64, cooperative} {
  %one = arith.constant 1.0 : f32
  %a = gpu.register_alloc : memref<176xf32, #loop.space<register>>
  loop.store %one, %a[0] : f32 -> memref<176xf32, #loop.space<register>>
  gpu.end
}

// -----

// Blocks that need not wait for each other come one after the other.
gpu.kernel @others() attributes {grid = array<i64: 265, 1, 1>, block = array<i64: 1024, 1, 1>, outputs = 0 : i64} {
  gpu.end
}
