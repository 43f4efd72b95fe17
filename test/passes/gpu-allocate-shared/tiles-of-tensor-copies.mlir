// RUN: dlc-opt --gpu-allocate-shared %s | filecheck %s

// Tiles of tensor copies start at multiples of 128 bytes, permuted ones at those of the period; other buffers need 16.
#plain = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [1, 40]>
#swizzled = #gpu.tensor_map<sizes = [64, 64], strides = [128], box = [8, 32], swizzle = 64>
gpu.kernel @k(%x: memref<64x64xf16>, %y: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<8x32xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1x40xf16, #loop.space<shared>>
  %c = gpu.shared_alloc : memref<1x40xf16, #loop.space<shared>>
  %d = gpu.shared_alloc : memref<39xf16, #loop.space<shared>>
  %e = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[0, 0] to %a[0, 0] at %e[0] {map = #swizzled} : memref<64x64xf16>, memref<8x32xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_copy %x[0, 0] to %b[0, 0] at %e[0] {map = #plain} : memref<64x64xf16>, memref<1x40xf16, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.tensor_store %c[0, 0] to %y[0, 0] {map = #plain} : memref<1x40xf16, #loop.space<shared>>, memref<64x64xf16>
  %v = loop.load %d[0] : memref<39xf16, #loop.space<shared>> -> f32
  gpu.end
}
// CHECK:      shared_bytes = 798
// CHECK-NEXT: %a = gpu.shared_alloc {swizzle = #gpu.swizzle<2, 4, 3>, offset = 0 : i64}
// CHECK-NEXT: %b = gpu.shared_alloc {offset = 512 : i64}
// CHECK-NEXT: %c = gpu.shared_alloc {offset = 640 : i64}
// CHECK-NEXT: %d = gpu.shared_alloc {offset = 720 : i64}
