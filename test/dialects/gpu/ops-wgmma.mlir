// RUN: %roundtrip

gpu.kernel @products(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 1 : i64} {
  %a = gpu.shared_alloc {offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc {offset = 16384 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x64x64xf16, #loop.space<shared>>
  %f = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<2x64xf32, #loop.space<register>>
  %k = arith.constant 1 : index
  gpu.async_fence
  gpu.barrier
  gpu.wgmma_fence
  gpu.wgmma %a[%k, 0, %k * 16], %b[%k, 0, 48], %c[0, 0] {shape = "m64n64k16"} : memref<2x64x64xf16, #loop.space<shared>>, memref<2x64x64xf16, #loop.space<shared>>, memref<2x64xf32, #loop.space<register>>
  gpu.wgmma %a[1, 16, 0], %b[0, 16, 0], %c[1, 0] {shape = "m64n128k16", transpose_a, transpose_b} : memref<2x64x64xf16, #loop.space<shared>>, memref<2x64x64xf16, #loop.space<shared>>, memref<2x64xf32, #loop.space<register>>
  gpu.wgmma %f[1, 0], %b[0, 16, 0], %c[1, 0] {shape = "m64n128k16", transpose_b} : memref<2x8xf16, #loop.space<register>>, memref<2x64x64xf16, #loop.space<shared>>, memref<2x64xf32, #loop.space<register>>
  gpu.wgmma_commit
  gpu.wgmma_wait {outstanding = 1 : i64}
  gpu.end
}
// CHECK-LABEL: gpu.kernel @products
// CHECK:      gpu.async_fence
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: gpu.wgmma_fence
// CHECK-NEXT: gpu.wgmma %a[%k, 0, %k * 16], %b[%k, 0, 48], %c[0, 0] {shape = "m64n64k16"} : memref<2x64x64xf16, #loop.space<shared>>, memref<2x64x64xf16, #loop.space<shared>>, memref<2x64xf32, #loop.space<register>>
// CHECK-NEXT: gpu.wgmma %a[1, 16, 0], %b[0, 16, 0], %c[1, 0] {shape = "m64n128k16", transpose_a, transpose_b} :
// CHECK-NEXT: gpu.wgmma %f[1, 0], %b[0, 16, 0], %c[1, 0] {shape = "m64n128k16", transpose_b} : memref<2x8xf16, #loop.space<register>>,
// CHECK-NEXT: gpu.wgmma_commit
// CHECK-NEXT: gpu.wgmma_wait {outstanding = 1 : i64}
