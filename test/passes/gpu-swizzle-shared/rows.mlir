// RUN: dlc-opt %s --gpu-swizzle-shared | filecheck %s

gpu.kernel @tiles(%y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %f = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<16x64xf16
  %line = gpu.shared_alloc : memref<16x64xf16, #loop.space<shared>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<16x32xf16
  %half = gpu.shared_alloc : memref<16x32xf16, #loop.space<shared>>
  // CHECK: gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 4>} : memref<16x128xf16
  %two = gpu.shared_alloc : memref<16x128xf16, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<16x96xf16
  %not_a_power = gpu.shared_alloc : memref<16x96xf16, #loop.space<shared>>
  // CHECK: gpu.shared_alloc : memref<16x63xf16
  %not_read_by_matrix_loads = gpu.shared_alloc : memref<16x63xf16, #loop.space<shared>>
  gpu.ldmatrix %line[%t mod 16, 0] to %f[0] {matrices = 4 : i64} : memref<16x64xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  gpu.ldmatrix %half[%t mod 16, 0] to %f[0] {matrices = 4 : i64} : memref<16x32xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  gpu.ldmatrix %two[%t mod 16, 0] to %f[0] {matrices = 4 : i64} : memref<16x128xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  gpu.ldmatrix %not_a_power[%t mod 16, 0] to %f[0] {matrices = 4 : i64} : memref<16x96xf16, #loop.space<shared>>, memref<8xf16, #loop.space<register>>
  %v = loop.load %not_read_by_matrix_loads[0, %t] : memref<16x63xf16, #loop.space<shared>> -> f32
  gpu.end
}
