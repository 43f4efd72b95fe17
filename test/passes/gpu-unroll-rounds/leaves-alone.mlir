// RUN: dlc-opt %s --gpu-unroll-rounds > %t && dlc-opt %s | diff - %t

gpu.kernel @stays(%x: memref<2048xf32>, %y: memref<2048xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %step = arith.constant 32 : index
  %two = arith.constant 2 : index
  %few = arith.constant 64 : index
  %many = arith.constant 1056 : index
  %zero = arith.constant 0.0 : f32

  // Nobody asks for it.
  scf.for %i = %t to %many step %step {
    %e = loop.load %x[%i] : memref<2048xf32> -> f32
    loop.store %e, %y[%i] : f32 -> memref<2048xf32>
  }

  // The loop within is not unrolled.
  scf.for %i = %t to %few step %step {
    scf.for %v = %low to %two step %one {
      %e = loop.load %x[%i * 2 + %v] : memref<2048xf32> -> f32
      loop.store %e, %y[%i * 2 + %v] : f32 -> memref<2048xf32>
    }
  } {straight}

  // Threads wait for each other.
  scf.for %i = %t to %few step %step {
    gpu.barrier
  } {straight}

  // Every thread does all of it: this is no loop of rounds.
  scf.for %i = %low to %few step %step {
    %e = loop.load %x[%i] : memref<2048xf32> -> f32
    loop.store %e, %y[%i] : f32 -> memref<2048xf32>
  } {straight}

  // Steps shorter than the threads are many: threads share iterations.
  scf.for %i = %t to %few step %two {
    loop.store %zero, %y[%i] : f32 -> memref<2048xf32>
  } {straight}

  // The end is not known; nor does the second loop begin at the number of a thread.
  scf.for %i = %t to %t step %step {} {straight}
  %late = loop.index [%t + 1]
  scf.for %i = %late to %few step %step {
    loop.store %zero, %y[%i] : f32 -> memref<2048xf32>
  } {straight}
  gpu.end
}
