// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// More than there are registers for.
// CHECK: gpu.kernel @many
// CHECK: scf.for
gpu.kernel @many(%x: memref<2048xf32>, %n: memref<64xi32>, %y: memref<2048xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 64 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 64 + %i] : memref<2048xf32> -> f32
    loop.store %v, %y[%t * 64 + %i] : f32 -> memref<2048xf32>
  } {unroll}
  gpu.end
}

// A place that is loaded itself, from memory that is written.
// CHECK: gpu.kernel @gathered
// CHECK: scf.for
gpu.kernel @gathered(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %p = loop.load %y[%t] : memref<64xf32> -> f32
    %q = arith.fptosi %p : f32 to i32
    %k = arith.index_cast %q : i32 to index
    %v = loop.load %x[%k] : memref<64xf32> -> f32
    loop.store %v, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}

// A loop that carries values from round to round.
// CHECK: gpu.kernel @carries
// CHECK: scf.for
gpu.kernel @carries(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %none = arith.constant 0.0 : f32
  %last = scf.for %i = %zero to %two step %one iter_args(%before = %none) -> (f32) {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    %sum = arith.addf %before, %v : f32
    loop.store %sum, %y[%t * 2 + %i] : f32 -> memref<64xf32>
    scf.yield %sum : f32
  } {unroll}
  gpu.end
}
