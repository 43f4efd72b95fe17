// RUN: %roundtrip

#tile = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128, l2_promotion = 256>
#strided = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [1, 4, 4, 64], element_strides = [1, 2, 2, 1]>
#rounded = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [64, 32], swizzle = 128, rounded_bits = 13>
#column = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [32, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>
gpu.kernel @copies(%x: memref<512x256xf16>, %f: memref<64x64xf32>, %y: memref<512x256xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 96, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x64x64xf16, #loop.space<shared>>
  %u = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %v = gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x32xf32, #loop.space<shared>>
  %full = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  gpu.prefetch_tensor_map %x {map = #tile} : memref<512x256xf16>
  gpu.tensor_copy %x[%t * 64, 64] to %s[%t mod 2, 0, 0] at %full[1] {map = #tile} : memref<512x256xf16>, memref<2x64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[0, 0 - 1, %t, 0] to %u[0, 0] at %full[0] {map = #strided} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[0, 0 - 1, %t, 0, 2, 1] to %u[0, 0] at %full[0] {map = #column} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %f[0, 32] to %v[0, 0] at %full[0] {map = #rounded} : memref<64x64xf32>, memref<64x32xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_store %s[1, 0, 0] to %y[%t, 64] {map = #tile} : memref<2x64x64xf16, #loop.space<shared>>, memref<512x256xf16>
  gpu.bulk_commit
  gpu.bulk_wait {outstanding = 1 : i64, read}
  gpu.bulk_wait {outstanding = 0 : i64}
  gpu.end
}
// CHECK:      gpu.prefetch_tensor_map %x {map = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128, l2_promotion = 256>} : memref<512x256xf16>
// CHECK-NEXT: gpu.tensor_copy %x[%t * 64, 64] to %s[%t mod 2, 0, 0] at %full[1] {map = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128, l2_promotion = 256>} : memref<512x256xf16>, memref<2x64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.tensor_copy %x[0, -1, %t, 0] to %u[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [1, 4, 4, 64], element_strides = [1, 2, 2, 1]>} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.tensor_copy %x[0, -1, %t, 0, 2, 1] to %u[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [4, 32, 16, 64], strides = [65536, 2048, 128], box = [32, 64], lower_corner = [-1, -1], upper_corner = [-1, -1]>} : memref<512x256xf16>, memref<64x64xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.tensor_copy %f[0, 32] to %v[0, 0] at %full[0] {map = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [64, 32], swizzle = 128, rounded_bits = 13>} : memref<64x64xf32>, memref<64x32xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
// CHECK-NEXT: gpu.tensor_store %s[1, 0, 0] to %y[%t, 64] {map = #gpu.tensor_map<sizes = [512, 256], strides = [512], box = [64, 64], swizzle = 128, l2_promotion = 256>} : memref<2x64x64xf16, #loop.space<shared>>, memref<512x256xf16>
// CHECK-NEXT: gpu.bulk_commit
// CHECK-NEXT: gpu.bulk_wait {outstanding = 1 : i64, read}
// CHECK-NEXT: gpu.bulk_wait {outstanding = 0 : i64}
