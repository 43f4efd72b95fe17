// RUN: dlc-opt %s --gpu-unroll-rounds | filecheck %s

// A round with a condition that has no other branch is written out, too.
// CHECK-NOT: scf.for
// CHECK:     scf.if
// CHECK:     scf.if
gpu.kernel @k(%x: memref<64xf32>, %y: memref<50xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 64 : index
  %s = arith.constant 32 : index
  %limit = arith.constant 50 : index
  scf.for %i = %t to %n step %s {
    %c = arith.cmpi slt, %i, %limit : index
    scf.if %c {
      %a = loop.load %x[%i] : memref<64xf32> -> f32
      loop.store %a, %y[%i] : f32 -> memref<50xf32>
    }
  } {straight}
  gpu.end
}
