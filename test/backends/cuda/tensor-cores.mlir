// RUN: dlc-opt %s -t cuda | filecheck %s

// The functions of the prelude that are called, and no others.
// CHECK:     void cp_async_16(
// CHECK-NOT: void cp_async_8(
// CHECK:     void ldmatrix_x4(
// CHECK:     void mma_m16n8k16_f16(
gpu.kernel @tile(%x: memref<64x64xf16>, %y: memref<64x64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 9216 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {offset = 1024 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>
  %a = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.cp_async %x[%t, 0] to %s[%t, 8] {bytes = 16 : i64} : memref<64x64xf16>, memref<64x64xf16, #loop.space<shared>>
  gpu.cp_async_commit
  gpu.cp_async_wait {outstanding = 2 : i64}
  gpu.barrier
  gpu.ldmatrix %s[%t mod 16, 0] to %a[1, 0] {matrices = 4 : i64} : memref<64x64xf16, #loop.space<shared>>, memref<2x8xf16, #loop.space<register>>
  gpu.mma %a[1, 0], %a[0, 4], %c[0] {shape = "m16n8k16"} : memref<2x8xf16, #loop.space<register>>, memref<2x8xf16, #loop.space<register>>, memref<4xf32, #loop.space<register>>
  gpu.copy %c[0] to %y[%t, 4] {elements = 4 : i64} : memref<4xf32, #loop.space<register>>, memref<64x64xf32>
  gpu.end
}
// CHECK:      extern "C" __global__ void __launch_bounds__(32) tile(const unsigned short* __restrict__ b1, float* __restrict__ b2) {
// CHECK-NEXT:   extern __shared__ __align__(1024) unsigned char shared_memory[];
// CHECK-NEXT:   const int [[T:v[0-9]+]] = (int)threadIdx.x;
// CHECK-NEXT:   unsigned short* const [[S:s[0-9]+]] = (unsigned short*)(shared_memory + 1024);
// CHECK-NEXT:   __align__(16) unsigned short [[A:r[0-9]+]][16];
// CHECK-NEXT:   __align__(16) float [[C:r[0-9]+]][4];
// CHECK-NEXT:   cp_async_16((unsigned short*)((unsigned char*)[[S]] + swizzle<3, 4, 3>(((int)((unsigned int)[[T]] % 8) * 64 + 8) * 2) + ((int)((unsigned int)[[T]] / 8) * 512) * 2), &b1[[[T]] * 64], true);
// CHECK-NEXT:   cp_async_commit();
// CHECK-NEXT:   cp_async_wait<2>();
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   ldmatrix_x4(&[[A]][8], (unsigned short*)((unsigned char*)[[S]] + swizzle<3, 4, 3>(((int)((unsigned int)[[T]] % 8) * 64) * 2) + ((int)((unsigned int)(int)((unsigned int)[[T]] % 16) / 8) * 512) * 2));
// CHECK-NEXT:   mma_m16n8k16_f16(&[[A]][8], &[[A]][4], &[[C]][0]);
// CHECK-NEXT:   *(uint4*)&b2[[[T]] * 64 + 4] = *(const uint4*)&[[C]][0];
// CHECK-NEXT: }
