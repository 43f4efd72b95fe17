// RUN: dlc-opt %s -t c | filecheck %s

// A product that takes part in a difference is rounded, wherever it is computed.

// CHECK:      static void g0_body(const float *restrict b1, float *restrict b2) {
// CHECK-NEXT:   DLC_UNKNOWN_ZERO(zero);
// CHECK-NEXT:   for (int i3 = 0; i3 < 7; ++i3) {
// CHECK-NEXT:     const float v4 = b1[i3];
// CHECK-NEXT:     const float v5 = dlc_roundedf(v4 * 3.1f, zero);
// CHECK-NEXT:     const float v6 = v5 - v4;
loop.kernel @g0(%x: memref<7xf32>, %y: memref<7xf32>) attributes {outputs = 1 : i64} {
  %c = arith.constant 3.1 : f32
  loop.for %0 = 0 to 7 kind = parallel map = serial {
    %1 = loop.load %x[%0] : memref<7xf32> -> f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.subf %2, %1 : f32
    loop.store %3, %y[%0] : f32 -> memref<7xf32>
    loop.yield
  }
  loop.end
}

// Double precision, and the product as what is subtracted.

// CHECK-LABEL: static void g1_body
// CHECK-NEXT:    DLC_UNKNOWN_ZERO(zero);
// CHECK:         const double [[P:v[0-9]+]] = dlc_rounded([[X:v[0-9]+]] * [[X]], zero);
// CHECK-NEXT:    const double v{{[0-9]+}} = [[X]] - [[P]];
loop.kernel @g1(%x: memref<7xf64>, %y: memref<7xf64>) attributes {outputs = 1 : i64} {
  loop.for %0 = 0 to 7 kind = parallel map = serial {
    %1 = loop.load %x[%0] : memref<7xf64> -> f64
    %2 = arith.mulf %1, %1 : f64
    %3 = arith.subf %1, %2 : f64
    loop.store %3, %y[%0] : f64 -> memref<7xf64>
    loop.yield
  }
  loop.end
}

// A sum may be fused with its product.

// CHECK-LABEL: static void g2_body
// CHECK-NOT:     zero
// CHECK:         const float [[P:v[0-9]+]] = [[X:v[0-9]+]] * [[X]];
// CHECK-NEXT:    const float v{{[0-9]+}} = [[X]] + [[P]];
loop.kernel @g2(%x: memref<7xf32>, %y: memref<7xf32>) attributes {outputs = 1 : i64} {
  loop.for %0 = 0 to 7 kind = parallel map = serial {
    %1 = loop.load %x[%0] : memref<7xf32> -> f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %1, %2 : f32
    loop.store %3, %y[%0] : f32 -> memref<7xf32>
    loop.yield
  }
  loop.end
}
