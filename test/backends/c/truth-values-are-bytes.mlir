// RUN: dlc-opt %s -t c | filecheck %s

// A byte that is not zero is true; GCC keeps a SIMD loop scalar that chooses by a bool which was loaded before it.

// CHECK-LABEL: static void g0_body(const unsigned char *restrict b1, const float *restrict b2, float *restrict b3, unsigned char *restrict b4) {
// CHECK:         const bool v[[V:[0-9]+]] = b1[0];
// CHECK-NEXT:    #pragma omp simd
// CHECK:           v[[V]] ?
// CHECK:         b4[0] = (bool)v[[V]];
loop.kernel @g0(%m: memref<1xi1>, %x: memref<64xf32>, %y: memref<64xf32>, %n: memref<1xi1>) attributes {outputs = 2 : i64} {
  %c = loop.load %m[0] : memref<1xi1> -> i1
  %zero = arith.constant 0.0 : f32
  loop.for %i = 0 to 64 kind = parallel map = vector {
    %v = loop.load %x[%i] : memref<64xf32> -> f32
    %w = arith.select %c, %v, %zero : f32
    loop.store %w, %y[%i] : f32 -> memref<64xf32>
    loop.yield
  }
  loop.store %c, %n[0] : i1 -> memref<1xi1>
  loop.end
}
