// RUN: dlc-opt %s -t c | filecheck %s

// An index that data decides is no mask to a compiler; one that loops decide stays as it is.

// CHECK:      static void g0_body(const float *restrict b1, const long long *restrict b2, float *restrict b3) {
// CHECK-NEXT:   DLC_UNKNOWN_ZERO(zero);
// CHECK-NEXT:   #pragma omp simd
// CHECK-NEXT:   for (int i4 = 0; i4 < 7; ++i4) {
// CHECK-NEXT:     const long long v5 = b2[i4];
// CHECK-NEXT:     const long long v6 = (long long)v5 ^ zero;
// CHECK-NEXT:     const float v7 = b1[v6];
loop.kernel @g0(%x: memref<2xf32>, %i: memref<7xi64>, %y: memref<7xf32>) attributes {outputs = 1 : i64} {
  loop.for %0 = 0 to 7 kind = parallel map = vector {
    %1 = loop.load %i[%0] : memref<7xi64> -> i64
    %2 = arith.index_cast %1 : i64 to index
    %3 = loop.load %x[%2] : memref<2xf32> -> f32
    loop.store %3, %y[%0] : f32 -> memref<7xf32>
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: static void g1_body
// CHECK-NEXT:    #pragma omp simd
// CHECK-NEXT:    for (int i{{[0-9]+}} = 0; i{{[0-9]+}} < 7; ++i{{[0-9]+}}) {
// CHECK-NEXT:      const int v{{[0-9]+}} = (int)i{{[0-9]+}};
loop.kernel @g1(%y: memref<7xi32>) attributes {outputs = 1 : i64} {
  loop.for %0 = 0 to 7 kind = parallel map = vector {
    %1 = arith.index_cast %0 : index to i32
    loop.store %1, %y[%0] : i32 -> memref<7xi32>
    loop.yield
  }
  loop.end
}
