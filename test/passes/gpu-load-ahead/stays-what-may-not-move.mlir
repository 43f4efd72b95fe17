// RUN: dlc-opt --gpu-load-ahead=arch=sm_90a %s | filecheck %s

// The place is what the kernel has computed.
// CHECK: gpu.kernel @computed_place
// CHECK: gpu.mbarrier_wait
// CHECK: gpu.copy %bias
gpu.kernel @computed_place(%bias: memref<1024xf16>, %y: memref<4096xf32>) attributes {grid = array<i64: 100, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = loop.load %y[%t] : memref<4096xf32> -> f32
  scf.for %k = %zero to %two step %one {
    gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
  }
  %v = loop.load %y[%t] : memref<4096xf32> -> f32
  %number = arith.fptosi %v : f32 to i32
  %p = arith.index_cast %number : i32 to index
  %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  gpu.copy %bias[%p * 4] to %b[0] {elements = 4 : i64} : memref<1024xf16>, memref<4xf16, #loop.space<register>>
  %w = loop.load %b[0] : memref<4xf16, #loop.space<register>> -> f32
  loop.store %w, %y[%t] : f32 -> memref<4096xf32>
  gpu.end
}

// What the kernel writes itself.
// CHECK: gpu.kernel @written
// CHECK: gpu.mbarrier_wait
// CHECK: gpu.copy %y
gpu.kernel @written(%y: memref<128xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8 : i64} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<1xi64, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %k = %zero to %two step %one {
    gpu.mbarrier_wait %s[0] parity %k : memref<1xi64, #loop.space<shared>>
  }
  %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  gpu.copy %y[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf16>, memref<4xf16, #loop.space<register>>
  gpu.copy %b[0] to %y[%t * 4] {elements = 4 : i64} : memref<4xf16, #loop.space<register>>, memref<128xf16>
  gpu.end
}

// A row of a table, whose number is what the kernel waits for.
// CHECK: gpu.kernel @gathered
// CHECK: loop.load %n
// CHECK: gpu.copy %table
gpu.kernel @gathered(%n: memref<32xi64>, %table: memref<64x4xf16>, %y: memref<32x4xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %number = loop.load %n[%t] : memref<32xi64> -> i64
  %row = arith.index_cast %number : i64 to index
  %b = gpu.register_alloc : memref<4xf16, #loop.space<register>>
  gpu.copy %table[%row, 0] to %b[0] {elements = 4 : i64} : memref<64x4xf16>, memref<4xf16, #loop.space<register>>
  gpu.copy %b[0] to %y[%t, 0] {elements = 4 : i64} : memref<4xf16, #loop.space<register>>, memref<32x4xf16>
  gpu.end
}
