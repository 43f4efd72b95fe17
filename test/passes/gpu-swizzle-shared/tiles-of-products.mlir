// RUN: dlc-opt --gpu-swizzle-shared %s | filecheck %s

// A product of a warpgroup finds its tiles by the swizzle of their rows, whatever else touches them.
gpu.kernel @tiles(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc : memref<64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<64x32xf16, #loop.space<shared>>
  %d = gpu.shared_alloc : memref<64x16xf16, #loop.space<shared>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x32xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.wgmma %a[0, 16], %d[0, 0], %c[0] {shape = "m64n64k16"} : memref<64x64xf16, #loop.space<shared>>, memref<64x16xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.end
}
// CHECK:      gpu.shared_alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16
// CHECK-NEXT: gpu.shared_alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<64x32xf16
// CHECK-NEXT: gpu.shared_alloc {swizzle = #gpu.swizzle<1, 4, 3>} : memref<64x16xf16
