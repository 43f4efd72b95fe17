// RUN: dlc-opt %s -t cuda | filecheck %s

// A word that is the mark is published as another NaN.
// CHECK:      __device__ __forceinline__ unsigned unmarked(unsigned word) {
// CHECK-NEXT:   return word == 0xffffffffu ? 0x7fff7fffu : word;
// CHECK:      "st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(to), "r"(unmarked(r[0])) : "memory"

// All pieces are asked for, then looked at.
// CHECK:      template <int pieces, int stride>
// CHECK-NEXT: __device__ __forceinline__ void await_16(void* to, const void* from) {
// CHECK:        do {
// CHECK:          for (int p = 0; p < pieces; p++)
// CHECK-NEXT:       asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
// CHECK:          for (int i = 0; i < 4 * pieces; i++) missing |= r[i] == 0xffffffffu;
// CHECK-NEXT:   } while (missing);

// No promise that the threads of other blocks leave the buffer alone.
// CHECK:      k(const unsigned short* __restrict__ b1, unsigned short* b2) {
gpu.kernel @k(%x: memref<8x64xf16>, %y: memref<8x64xf16>) attributes {grid = array<i64: 8, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, cooperative, filled = array<i64: 1>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %r = gpu.register_alloc : memref<16xf16, #loop.space<register>>
  gpu.publish %r[0] to %y[%b, %t * 2] {elements = 2 : i64} : memref<16xf16, #loop.space<register>>, memref<8x64xf16>
  gpu.await %y[%b, %t mod 8 * 8] to %r[0] {elements = 8 : i64} : memref<8x64xf16>, memref<16xf16, #loop.space<register>>
  gpu.await %y[0, %t] to %r[0] {elements = 8 : i64, pieces = 2 : i64, stride = array<i64: 3, 8>} : memref<8x64xf16>, memref<16xf16, #loop.space<register>>
  gpu.end
}
// CHECK:      publish_4(&b2[{{.*}}], &r[[R:[0-9]+]][0]);
// CHECK-NEXT: await_16<1, 0>(&r[[R]][0], &b2[{{.*}}]);
// CHECK-NEXT: await_16<2, 400>(&r[[R]][0], &b2[v[[T:[0-9]+]]]);
