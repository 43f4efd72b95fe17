// RUN: dlc-opt --gpu-unroll-windows %s | filecheck %s
// CHECK-NOT: unroll

// An unknown number of iterations, and so the loop around it.
gpu.kernel @unknown(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %t = gpu.thread_id x : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %t step %one {
      loop.store %v, %x[%i + %j] : f32 -> memref<64xf32>
    }
  }
  gpu.end
}

// Nine iterations.
gpu.kernel @many(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %zero to %nine step %one {
    loop.store %v, %x[%i] : f32 -> memref<64xf32>
  }
  gpu.end
}

// Shared memory.
gpu.kernel @shared(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 1024 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %zero to %two step %one {
    loop.store %v, %x[%i] : f32 -> memref<64xf32>
  }
  gpu.end
}
