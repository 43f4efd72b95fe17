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

  // 33 rounds are more than registers are spent on.
  scf.for %i = %t to %many step %step {
    %e = loop.load %x[%i] : memref<2048xf32> -> f32
    loop.store %e, %y[%i] : f32 -> memref<2048xf32>
  }

  // So are two rounds of 17 elements.
  %width = arith.constant 17 : index
  scf.for %i = %t to %few step %step {
    scf.for %v = %low to %width step %one {
      %e = loop.load %x[%i * 17 + %v] : memref<2048xf32> -> f32
      loop.store %e, %y[%i * 17 + %v] : f32 -> memref<2048xf32>
    } {unroll}
  }

  // The loop within is not unrolled.
  scf.for %i = %t to %few step %step {
    scf.for %v = %low to %two step %one {
      %e = loop.load %x[%i * 2 + %v] : memref<2048xf32> -> f32
      loop.store %e, %y[%i * 2 + %v] : f32 -> memref<2048xf32>
    }
  }

  // Threads wait for each other.
  scf.for %i = %t to %few step %step {
    gpu.barrier
  }

  // Every thread does all of it: this is no loop of rounds.
  scf.for %i = %low to %few step %step {
    %e = loop.load %x[%i] : memref<2048xf32> -> f32
    loop.store %e, %y[%i] : f32 -> memref<2048xf32>
  }

  // Steps shorter than the threads are many: threads share iterations.
  scf.for %i = %t to %few step %two {
    loop.store %zero, %y[%i] : f32 -> memref<2048xf32>
  }

  // The end is not known; nor does the second loop begin at the number of a thread.
  scf.for %i = %t to %t step %step {}
  %late = loop.index [%t + 1]
  scf.for %i = %late to %few step %step {
    loop.store %zero, %y[%i] : f32 -> memref<2048xf32>
  }
  gpu.end
}
