// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Chunks of 8 elements, 16 bytes. Rows of 36 elements are aligned to 8 bytes only; a limit of 30 cuts
// runs of 4, but none of 2.

// CHECK-LABEL: loop.kernel @rows_of_36
// CHECK:       loop.for %[[N:.*]] = 0 to 2 kind = parallel map = unroll {
// CHECK-NEXT:    gpu.cp_async %x[%t floordiv 4, %t mod 4 * 8 + %[[N]] * 4] to %s[%t floordiv 4, %t mod 4 * 8 + %[[N]] * 4] {bytes = 8 : i64}
loop.kernel @rows_of_36(%x: memref<32x36xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %s map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<32x36xf16> -> f32
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @limit_of_30
// CHECK:       loop.for %{{.*}} = 0 to 4 kind = parallel map = unroll {
// CHECK:         gpu.cp_async {{.*}} if %{{.*}} {bytes = 4 : i64}
loop.kernel @limit_of_30(%x: memref<32x40xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %s = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %s map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %n = arith.constant 30 : index
      %zero = arith.constant 0.0 : f32
      %in = arith.cmpi slt, %j, %n : index
      %e = scf.if %in -> (f32) {
        %v = loop.load %x[%i, %j] : memref<32x40xf16> -> f32
        scf.yield %v : f32
      } else {
        scf.yield %zero : f32
      }
      loop.yield %e : f32
    }
    loop.yield
  }
  loop.end
}
