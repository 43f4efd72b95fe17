// RUN: dlc-opt %s --gpu-swizzle-shared | filecheck %s

// A swizzle keeps 16 bytes together, no more: a buffer with an access of 32 bytes has none.

gpu.kernel @tiles(%x: memref<64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %f = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x64xf16
  %narrow = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<16x64xf16
  %wide = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  gpu.copy %x[0] to %narrow[%t, 0] {elements = 8 : i64} : memref<64xf16>, memref<16x64xf16, #loop.space<shared>>
  %w = loop.load_vector %wide[%t, 0] : memref<16x64xf16, #loop.space<shared>> -> vector<16xf32>
  gpu.ldmatrix %narrow[%t, 0] to %f[0] {matrices = 4 : i64} : memref<16x64xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  gpu.ldmatrix %wide[%t, 0] to %f[0] {matrices = 4 : i64} : memref<16x64xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  gpu.end
}
