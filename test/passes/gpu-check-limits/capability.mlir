// RUN: dlc-opt %s --split-input-file --gpu-check-limits=arch=sm_90a
// RUN: dlc-opt %s --gpu-check-limits=arch=sm_75 --split-input-file --verify-diagnostics

gpu.kernel @copies(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  // expected-error@below {{needs cp.async, which sm_75 has not; choose another instruction}}
  gpu.cp_async %x[0] to %s[0] {bytes = 16 : i64} : memref<64xf32>, memref<64xf32, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @phases(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  // expected-error@below {{needs mbarrier, which sm_75 has not; choose another instruction}}
  gpu.mbarrier_arrive %b[0] : memref<1xi64, #loop.space<shared>>
  gpu.end
}

// -----

gpu.kernel @products(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{needs wgmma, which sm_75 has not; choose another instruction}}
  gpu.wgmma_fence
  gpu.end
}

// -----

gpu.kernel @fence(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  // expected-error@below {{needs tma, which sm_75 has not; choose another instruction}}
  gpu.async_fence
  gpu.end
}

// -----

// expected-error@below {{runs in clusters, which sm_75 has not}}
gpu.kernel @clusters(%x: memref<64xf32>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64, cluster = array<i64: 2, 1, 1>} {
  gpu.end
}

// -----

gpu.kernel @matrices(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 0 : i64} {
  %s = gpu.shared_alloc : memref<8x8xf16, #loop.space<shared>>
  %r = gpu.register_alloc : memref<2xf16, #loop.space<register>>
  // expected-error@below {{needs stmatrix, which sm_75 has not; choose another instruction}}
  gpu.stmatrix %r[0] to %s[0, 0] {matrices = 1 : i64} : memref<2xf16, #loop.space<register>>, memref<8x8xf16, #loop.space<shared>>
  gpu.end
}
