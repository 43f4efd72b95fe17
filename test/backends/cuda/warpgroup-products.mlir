// RUN: dlc-opt -t cuda %s | filecheck %s

// A descriptor is that of the buffer's start; its first bits count 16 bytes from there on.
gpu.kernel @products(%x: memref<64x64xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 128, 1, 1>, outputs = 0 : i64, shared_bytes = 40960 : i64} {
  %a = gpu.shared_alloc {offset = 0 : i64, swizzle = #gpu.swizzle<3, 4, 3>} : memref<2x64x64xf16, #loop.space<shared>>
  %b = gpu.shared_alloc {offset = 16384 : i64, swizzle = #gpu.swizzle<2, 4, 3>} : memref<2x64x32xf16, #loop.space<shared>>
  %f = gpu.register_alloc : memref<2x8xf16, #loop.space<register>>
  %c = gpu.register_alloc : memref<32xf32, #loop.space<register>>
  %t = gpu.thread_id y : index
  gpu.async_fence
  gpu.wgmma_fence
  gpu.wgmma %a[%t, 8, 0], %b[1, 0, 16], %c[0] {shape = "m64n64k16", transpose_a} : memref<2x64x64xf16, #loop.space<shared>>, memref<2x64x32xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.wgmma %f[1, 0], %b[0, 16, 0], %c[0] {shape = "m64n64k16", transpose_b} : memref<2x8xf16, #loop.space<register>>, memref<2x64x32xf16, #loop.space<shared>>, memref<32xf32, #loop.space<register>>
  gpu.wgmma_commit
  gpu.wgmma_wait {outstanding = 1 : i64}
  gpu.end
}
// An address counts 16 bytes and holds 14 bits: the rank that a block in a cluster has lies above them.
// CHECK:      return layout | (shared_address(start) & 0x3ffffu) / 16;
// CHECK:      template <int transpose_a, int transpose_b>
// CHECK-NEXT: void wgmma_m64n64k16_f16(unsigned long long a, unsigned long long b, float* c) {
// CHECK-NEXT:   asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
// CHECK-NEXT:   {{.*}}%30, %31}, %32, %33, 1, 1, 1, %34, %35;"
// CHECK:        : "l"(a), "l"(b), "n"(transpose_a), "n"(transpose_b));
// CHECK:      template <int transpose_b>
// CHECK-NEXT: void wgmma_m64n64k16_f16_registers(const void* a, unsigned long long b, float* c) {
// CHECK:        {{.*}}%30, %31}, {%32, %33, %34, %35}, %36, 1, 1, 1, %37;"
// CHECK:        : "r"(((const unsigned*)a)[0]),
// CHECK:      async_fence();
// CHECK-NEXT: pin<32>(&r[[C:[0-9]+]][0]);
// CHECK-NEXT: wgmma_fence();
// CHECK-NEXT: wgmma_m64n64k16_f16<1, 0>(matrix_descriptor<0x4000004000010000ull>(s{{[0-9]+}}) + (64), matrix_descriptor<0x8000002000010000ull>(s[[B:[0-9]+]]) + (258), &r[[C]][0]);
// CHECK-NEXT: wgmma_m64n64k16_f16_registers<1>(&r{{[0-9]+}}[8], matrix_descriptor<0x8000002001000000ull>(s[[B]]) + (64), &r[[C]][0]);
// CHECK-NEXT: wgmma_commit();
// CHECK-NEXT: wgmma_wait<1>();
// CHECK-NEXT: pin<32>(&r[[C]][0]);
