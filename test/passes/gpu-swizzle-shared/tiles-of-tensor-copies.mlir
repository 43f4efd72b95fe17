// RUN: dlc-opt --gpu-swizzle-shared %s | filecheck %s

// The map has no swizzle, so the tile has none, though lanes read 16 bytes of its rows.
#plain = #gpu.tensor_map<sizes = [64, 64], strides = [256], box = [16, 64]>
gpu.kernel @k(%x: memref<64x64xf32>, %y: memref<64x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  // CHECK: gpu.shared_alloc : memref<16x64xf32
  %a = gpu.shared_alloc : memref<16x64xf32, #loop.space<shared>>
  %e = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.tensor_copy %x[0, 0] to %a[0, 0] at %e[0] {map = #plain} : memref<64x64xf32>, memref<16x64xf32, #loop.space<shared>>, memref<2xi64, #loop.space<shared>>
  gpu.copy %a[%t mod 16, 0] to %r[0] {elements = 4 : i64} : memref<16x64xf32, #loop.space<shared>>, memref<4xf32, #loop.space<register>>
  gpu.end
}
