// RUN: dlc-opt %s -t cuda | filecheck %s

// An exponential that may be off by a little is the hardware's power of two; another is the library's,
// and so is one of doubles.

// CHECK:      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.442695041f));
// CHECK:      [[Y:v[0-9]+]] = exponential_f32([[X:v[0-9]+]]);
// CHECK-NEXT: = expf([[Y]]);
// CHECK:      = exp(
gpu.kernel @g(%x: memref<1xf32>, %d: memref<1xf64>, %y: memref<1xf32>, %e: memref<1xf64>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 1, 1, 1>, outputs = 2 : i64} {
  %0 = loop.load %x[0] : memref<1xf32> -> f32
  %1 = math.exp %0 fastmath<afn> : f32
  %2 = math.exp %1 : f32
  loop.store %2, %y[0] : f32 -> memref<1xf32>
  %3 = loop.load %d[0] : memref<1xf64> -> f64
  %4 = math.exp %3 fastmath<afn> : f64
  loop.store %4, %e[0] : f64 -> memref<1xf64>
  gpu.end
}
