// RUN: dlc-opt %s -t c | filecheck %s

// CHECK:      typedef float dlc_f32x16 __attribute__((vector_size(64)));
// CHECK:      static void k_body(const float *restrict b1, const unsigned short *restrict b2, float *restrict b3) {
loop.kernel @k(%x: memref<8x64xf32>, %h: memref<64xf16>, %y: memref<8x64xf32>) attributes {outputs = 1 : i64} {
  loop.for %i = 0 to 8 kind = parallel map = serial {
    // CHECK: #pragma GCC unroll 4
    // CHECK-NEXT: for (int [[J:i[0-9]+]] = 0; [[J]] < 64; [[J]] += 16) {
    loop.for %j = 0 to 64 step 16 kind = parallel map = unroll {
      // CHECK: const dlc_f32x16 [[X:v[0-9]+]] = *(const dlc_f32x16_unaligned *)&b1[
      %v = loop.load_vector %x[%i, %j] : memref<8x64xf32> -> vector<16xf32>
      %s = arith.constant 2.0 : f32
      // CHECK-NEXT: const dlc_f32x16 [[B:v[0-9]+]] = 2.0f - (dlc_f32x16){0};
      %b = vector.broadcast %s : f32 to vector<16xf32>
      // CHECK-NEXT: const dlc_f32x16 [[M:v[0-9]+]] = [[X]] * [[B]] + [[X]];
      %m = math.fma %v, %b, %v : vector<16xf32>
      // CHECK: for (int l = 0; l < 16; ++l) [[H:v[0-9]+]][l] = dlc_load_f16((&b2[{{.*}}])[l]);
      %n = loop.load_vector %h[%j] : memref<64xf16> -> vector<16xf32>
      // CHECK: for (int l = 0; l < 16; ++l) [[E:v[0-9]+]][l] = [[M]][l] > [[H]][l]
      %e = arith.maximumf %m, %n : vector<16xf32>
      // CHECK-NEXT: *(dlc_f32x16_unaligned *)&b3[{{.*}}] = [[E]];
      loop.store_vector %e, %y[%i, %j] : vector<16xf32> -> memref<8x64xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
