// RUN: dlc-opt %s --gpu-unroll-rounds | filecheck %s

// From below zero there may be a round more.
// CHECK-LABEL: @from_below_zero
// CHECK:       scf.for %i = %start to %stop step %step
gpu.kernel @from_below_zero(%x: memref<40xf32>, %y: memref<40xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %start = loop.index [%t - 5]
  %stop = arith.constant 32 : index
  %step = arith.constant 32 : index
  scf.for %i = %start to %stop step %step {
    %v = loop.load %x[%i + 5] : memref<40xf32> -> f32
    loop.store %v, %y[%i + 5] : f32 -> memref<40xf32>
  } {straight}
  gpu.end
}

// How many rounds there are is not known where data say where to begin, or how far to go on.
// CHECK-LABEL: @from_data
// CHECK:       scf.for %i = %start to %stop step %step
// CHECK:       scf.for %j = %t to %stop step %start
gpu.kernel @from_data(%p: memref<1xi64>, %x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %0 = loop.load %p[0] : memref<1xi64> -> i64
  %start = arith.index_cast %0 : i64 to index
  %stop = arith.constant 64 : index
  %step = arith.constant 32 : index
  scf.for %i = %start to %stop step %step {
    %v = loop.load %x[%i] : memref<64xf32> -> f32
    loop.store %v, %y[%i] : f32 -> memref<64xf32>
  } {straight}
  scf.for %j = %t to %stop step %start {
    %v = loop.load %x[%j] : memref<64xf32> -> f32
    loop.store %v, %y[%j] : f32 -> memref<64xf32>
  } {straight}
  gpu.end
}
