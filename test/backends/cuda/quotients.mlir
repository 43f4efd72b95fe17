// RUN: dlc-opt %s -t cuda | filecheck %s

// A quotient that may be off by a little takes the hardware's reciprocal, one that may be off by less
// refines it, one for 16 bits flushes subnormal numbers; others are exact, and so is one of doubles, for
// which there is none.

// CHECK:      asm("rcp.approx.f32 %0, %1;"
// CHECK:      [[Y:v[0-9]+]] = [[X:v[0-9]+]] * reciprocal_f32([[X]]);
// CHECK-NEXT: [[Z:v[0-9]+]] = quotient_f32([[Y]], [[X]]);
// CHECK-NEXT: [[S:v[0-9]+]] = [[Z]] * short_reciprocal_f32([[X]]);
// CHECK-NEXT: = [[S]] / [[X]];
// CHECK:      = [[D:v[0-9]+]] / [[D]];
gpu.kernel @g(%x: memref<1xf32>, %d: memref<1xf64>, %y: memref<1xf32>, %e: memref<1xf64>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 2 : i64} {
  %0 = loop.load %x[0] : memref<1xf32> -> f32
  %1 = arith.divf %0, %0 fastmath<arcp> : f32
  %n = arith.divf %1, %0 fastmath<afn> : f32
  %s = arith.divf %n, %0 fastmath<arcp,afn> : f32
  %2 = arith.divf %s, %0 : f32
  loop.store %2, %y[0] : f32 -> memref<1xf32>
  %3 = loop.load %d[0] : memref<1xf64> -> f64
  %4 = arith.divf %3, %3 fastmath<arcp> : f64
  loop.store %4, %e[0] : f64 -> memref<1xf64>
  gpu.end
}
