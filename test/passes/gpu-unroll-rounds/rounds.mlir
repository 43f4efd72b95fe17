// RUN: dlc-opt %s --gpu-unroll-rounds | filecheck %s

// 80 elements of 32 lanes: two rounds of all lanes, and one of the first 16. What is carried goes
// from round to round, and through the last one unchanged where it is not done.
gpu.kernel @sum(%x: memref<80xf32>, %y: memref<80xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 80 : index
  %step = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %t to %n step %step iter_args(%a = %zero) -> (f32) {
    %e = loop.load %x[%i] : memref<80xf32> -> f32
    %s = arith.addf %a, %e : f32
    scf.yield %s : f32
  } {straight}
  scf.for %i = %t to %n step %step {
    loop.store %sum, %y[%i] : f32 -> memref<80xf32>
  } {straight}
  gpu.end
}
// CHECK:      %[[E0:.*]] = loop.load %x[%t]
// CHECK-NEXT: %[[S0:.*]] = arith.addf %zero, %[[E0]]
// CHECK-NEXT: %[[E1:.*]] = loop.load %x[%t + 32]
// CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[E1]]
// CHECK-NEXT: %[[I2:.*]] = loop.index [%t + 64]
// CHECK:      %[[IN:.*]] = arith.cmpi slt, %[[I2]],
// CHECK-NEXT: %[[SUM:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:   %[[E2:.*]] = loop.load %x[%t + 64]
// CHECK-NEXT:   %[[S2:.*]] = arith.addf %[[S1]], %[[E2]]
// CHECK-NEXT:   scf.yield %[[S2]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[S1]]
// CHECK-NEXT: }
// CHECK-NEXT: loop.store %[[SUM]], %y[%t]
// CHECK-NOT:  scf.for
// CHECK:      scf.if
// CHECK-NEXT:   loop.store %[[SUM]], %y
// CHECK-NOT:  else

// A vector of 4 in each of 8 rounds: 32 elements, as many as stay in registers.
gpu.kernel @vectors(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = arith.constant 256 : index
  %step = arith.constant 32 : index
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %t to %n step %step {
    scf.for %v = %low to %four step %one {
      %e = loop.load %x[%i * 4 + %v] : memref<1024xf32> -> f32
      loop.store %e, %y[%i * 4 + %v] : f32 -> memref<1024xf32>
    } {unroll}
  } {straight}
  gpu.end
}
// CHECK:         gpu.kernel @vectors
// CHECK-COUNT-8: scf.for %{{.*}} = %low to %four step %one
// CHECK-NOT:     scf.for
// CHECK:         gpu.end
