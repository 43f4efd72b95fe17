// RUN: dlc-opt %s -t cuda | filecheck %s

// A swizzle of 128-byte rows leaves multiples of 1024 bytes alone: the slot, and eight rows at a
// time, stand outside of it. What is less stays inside.
gpu.kernel @tile(%x: memref<32x64xf16>, %y: memref<8xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 8192 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc {offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x32x64xf16, #loop.space<shared>>
  %a = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  gpu.cp_async %x[%t, 0] to %s[%t floordiv 16, %t mod 16 + 8, 8] {bytes = 16 : i64} : memref<32x64xf16>, memref<2x32x64xf16, #loop.space<shared>>
  gpu.ldmatrix %s[1, %t mod 8 + 17, 16] to %a[0, 0] {matrices = 4 : i64} : memref<2x32x64xf16, #loop.space<shared>>, memref<2x8xf16, #loop.space<register>>
  gpu.end
}
// CHECK: const int [[T:v[0-9]+]] = (int)threadIdx.x;
// CHECK: cp_async_16((unsigned short*)((unsigned char*)[[S:s[0-9]+]] + swizzle<3, 4, 3>(((int)((unsigned int)[[T]] % 8) * 64 + 8) * 2) + ((int)((unsigned int)[[T]] / 16) * 2048 + (int)((unsigned int)(int)((unsigned int)[[T]] % 16) / 8) * 512 + 512) * 2), &b1[[[T]] * 64], true);
// CHECK: ldmatrix_x4(&[[A:r[0-9]+]][0], (unsigned short*)((unsigned char*)[[S]] + swizzle<3, 4, 3>(((int)((unsigned int)[[T]] % 8) * 64 + 80) * 2) + (3072) * 2));
