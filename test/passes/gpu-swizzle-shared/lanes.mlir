// RUN: dlc-opt %s --gpu-swizzle-shared | filecheck %s

// Lanes that stand over different rows and read 16 bytes each; the xor of places costs more than it
// saves where they read less, or where four rows lie beside each other in the banks.

gpu.kernel @tiles(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %f = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<32x32xf32
  %line = gpu.shared_alloc : memref<32x32xf32, #loop.space<shared>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<32x16xf32
  %half = gpu.shared_alloc : memref<32x16xf32, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<32x8xf32
  %four_beside_each_other = gpu.shared_alloc : memref<32x8xf32, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<32x64xf32
  %read_in_pieces = gpu.shared_alloc : memref<32x64xf32, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<32x128xf32
  %only_written = gpu.shared_alloc : memref<32x128xf32, #loop.space<shared>>
  gpu.copy %line[%t, 4] to %f[0] {elements = 4 : i64} : memref<32x32xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.copy %half[%t, 4] to %f[0] {elements = 4 : i64} : memref<32x16xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.copy %four_beside_each_other[%t, 4] to %f[0] {elements = 4 : i64} : memref<32x8xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.copy %read_in_pieces[%t, 4] to %f[0] {elements = 2 : i64} : memref<32x64xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.copy %f[0] to %only_written[%t, 4] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<32x128xf32, #loop.space<shared>>
  gpu.end
}
