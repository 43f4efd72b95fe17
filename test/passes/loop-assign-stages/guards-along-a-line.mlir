// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// A guard along the line is another one for each element, so each is a copy of its own; what is not
// there is zero in a copy, so with another fill the elements are stored.

// CHECK-LABEL: loop.kernel @padded_columns
// CHECK:       loop.for %[[N:.*]] = 0 to 4 kind = parallel map = unroll {
// CHECK:         %[[AT:.*]] = loop.index [%t mod 8 * 4 + %[[N]] - 1]
// CHECK:         arith.cmpi sge, %[[AT]]
// CHECK:         gpu.cp_async %x[%t floordiv 8, %t mod 8 * 4 + %[[N]] - 1] to {{.*}} if %{{.*}} {bytes = 4 : i64}
loop.kernel @padded_columns(%x: memref<16x31xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    loop.stage %s map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j - 1] guard [1] fill 0.0 : f32 : memref<16x31xf32> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @ones_around
// CHECK-NOT:   gpu.cp_async %x
// CHECK:       loop.load %x[%t floordiv 8 - 1, %t mod 8 * 4 + %{{.*}}] guard [0] fill 1.000000e+00
// CHECK-NEXT:  loop.store
loop.kernel @ones_around(%x: memref<14x32xf32>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<16x32xf32, #loop.space<shared>>
    loop.stage %s map = <spatial(16, 8) * repeat(1, 4)> : memref<16x32xf32, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i - 1, %j] guard [0] fill 1.0 : f32 : memref<14x32xf32> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}
