// RUN: dlc-opt %s -t c | filecheck %s

// Functions that a loop over vectors may call are those of the prelude: a call of the C library leaves a loop scalar.

// CHECK-LABEL: static void k_body(
// CHECK:      const float [[X:v[0-9]+]] = {{.*}};
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_expf([[X]]);
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_expm1f([[X]]);
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_logf([[X]]);
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_log1pf([[X]]);
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_tanhf([[X]]);
// CHECK-NEXT: const float v{{[0-9]+}} = dlc_erff([[X]]);
// CHECK:      const double v{{[0-9]+}} = dlc_log1p(
loop.kernel @k(%x: memref<2xf32>, %d: memref<2xf64>, %y: memref<6xf32>, %z: memref<1xf64>) attributes {outputs = 2 : i64} {
  %1 = loop.load %x[0] : memref<2xf32> -> f32
  %2 = math.exp %1 : f32
  %3 = math.expm1 %1 : f32
  %4 = math.log %1 : f32
  %5 = math.log1p %1 : f32
  %6 = math.tanh %1 : f32
  %7 = math.erf %1 : f32
  %8 = loop.load %d[0] : memref<2xf64> -> f64
  %9 = math.log1p %8 : f64
  loop.store %2, %y[0] : f32 -> memref<6xf32>
  loop.store %3, %y[1] : f32 -> memref<6xf32>
  loop.store %4, %y[2] : f32 -> memref<6xf32>
  loop.store %5, %y[3] : f32 -> memref<6xf32>
  loop.store %6, %y[4] : f32 -> memref<6xf32>
  loop.store %7, %y[5] : f32 -> memref<6xf32>
  loop.store %9, %z[0] : f64 -> memref<1xf64>
  loop.end
}
