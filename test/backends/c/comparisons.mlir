// RUN: dlc-opt %s -t c | filecheck %s

// C's integers have a sign: what compares without one says so.

// CHECK:      const bool v{{[0-9]+}} = (unsigned long long)[[X:v[0-9]+]] < (unsigned long long)7{{.*}};
// CHECK-NEXT: const bool v{{[0-9]+}} = [[X]] < 7{{.*}};
// CHECK-NEXT: const bool v{{[0-9]+}} = (unsigned)[[I:v[0-9]+]] >= (unsigned)[[I]];
loop.kernel @k(%x: memref<2xi64>, %i: memref<2xi32>, %y: memref<3xi1>) attributes {outputs = 1 : i64} {
  %1 = loop.load %x[0] : memref<2xi64> -> i64
  %2 = loop.load %i[0] : memref<2xi32> -> i32
  %3 = arith.constant 7 : i64
  %4 = arith.cmpi ult, %1, %3 : i64
  %5 = arith.cmpi slt, %1, %3 : i64
  %6 = arith.cmpi uge, %2, %2 : i32
  loop.store %4, %y[0] : i1 -> memref<3xi1>
  loop.store %5, %y[1] : i1 -> memref<3xi1>
  loop.store %6, %y[2] : i1 -> memref<3xi1>
  loop.end
}
