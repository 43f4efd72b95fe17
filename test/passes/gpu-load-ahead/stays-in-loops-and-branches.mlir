// RUN: dlc-opt --gpu-load-ahead=arch=sm_90a %s | filecheck %s

// A loop that is not written out.
// CHECK: gpu.kernel @rolled
// CHECK: gpu.mbarrier_wait
// CHECK: gpu.copy %bias
gpu.kernel @rolled(%bias: memref<1024xf16>, %y: memref<4096xf32>) attributes {grid = array<i64: 100, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %k = %zero to %two step %one {
    gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
  }
  scf.for %i = %zero to %two step %one {
    %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
    gpu.copy %bias[%t * 4] to %b[0] {elements = 4 : i64} : memref<1024xf16>, memref<4xf16, #loop.space<register>>
    %w = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
    loop.store %w, %y[%t] : f32 -> memref<4096xf32>
  }
  gpu.end
}

// One of two branches.
// CHECK: gpu.kernel @two_branches
// CHECK: gpu.mbarrier_wait
// CHECK: gpu.copy %bias
gpu.kernel @two_branches(%bias: memref<1024xf16>, %y: memref<4096xf32>) attributes {grid = array<i64: 100, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %k = %zero to %two step %one {
    gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
  }
  %x = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
    gpu.copy %bias[%t * 4] to %b[0] {elements = 4 : i64} : memref<1024xf16>, memref<4xf16, #loop.space<register>>
    %w = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
    loop.store %w, %y[%t] : f32 -> memref<4096xf32>
  } else {
    loop.store %x, %y[%t] : f32 -> memref<4096xf32>
  }
  gpu.end
}
