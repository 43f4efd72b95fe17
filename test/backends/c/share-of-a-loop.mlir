// RUN: dlc-opt %s -t c | filecheck %s

// The share of a loop over cores takes indices, values and arrays from around it; constants are written in it. Its own index
// of data has a zero of its own.
// CHECK:      struct k_share[[S:[0-9]+]] {
// CHECK-DAG:    const int [[I:i[0-9]+]];
// CHECK-DAG:    const float [[V:v[0-9]+]];
// CHECK-DAG:    float *restrict [[R:r[0-9]+]];
// CHECK:      static void k_share{{[0-9]+}}_body({{.*}}, int64_t first, int64_t end) {
// CHECK-NEXT:   DLC_UNKNOWN_ZERO(zero);
// CHECK-NEXT:   #pragma omp simd
// CHECK-NEXT:   for (int [[J:i[0-9]+]] = first; [[J]] < end; ++[[J]]) {
// CHECK:          ^ zero;
// CHECK:          + 2.0f;
// CHECK:      static void k_body(
// CHECK-NOT:    DLC_UNKNOWN_ZERO
// CHECK:        for (int [[I]] = 0;
// CHECK:          struct k_share[[S]] k_share[[S]]_captured = {
// CHECK-NEXT:     dlc_spread(k_share[[S]], &k_share[[S]]_captured, 8);
loop.kernel @k(%x: memref<8xf32>, %n: memref<8xi64>, %y: memref<4x8xf32>) attributes {outputs = 1 : i64} {
  %two = arith.constant 2.0 : f32
  loop.for %i = 0 to 4 kind = reduction map = serial {
    %r = loop.alloc : memref<8xf32, #loop.space<register>>
    %v = loop.load %x[%i] : memref<8xf32> -> f32
    loop.store %v, %r[%i] : f32 -> memref<8xf32, #loop.space<register>>
    loop.for %j = 0 to 8 kind = parallel map = cores {
      %d = loop.load %n[%j] : memref<8xi64> -> i64
      %at = arith.index_cast %d : i64 to index
      %a = loop.load %r[%at] : memref<8xf32, #loop.space<register>> -> f32
      %b = arith.addf %a, %v : f32
      %c = arith.addf %b, %two : f32
      loop.store %c, %y[%i, %j] : f32 -> memref<4x8xf32>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
