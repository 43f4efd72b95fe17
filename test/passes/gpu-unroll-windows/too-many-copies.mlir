// RUN: dlc-opt --gpu-unroll-windows %s | filecheck %s

// The two inner loops make 49 copies; with the outer one they would be 98, more than 64.
// CHECK:      scf.for %i = %zero to %two step %one {
// CHECK-NEXT:   scf.for %j
// CHECK-NEXT:     scf.for %k
// CHECK-NEXT:       loop.store
// CHECK-NEXT:     } {unroll}
// CHECK-NEXT:   } {unroll}
// CHECK-NOT:  unroll
// CHECK:      gpu.end
gpu.kernel @copies(%x: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %seven step %one {
      scf.for %k = %zero to %seven step %one {
        loop.store %v, %x[%i * 49 + %j * 7 + %k] : f32 -> memref<128xf32>
      }
    }
  }
  gpu.end
}
