// RUN: dlc-opt --gpu-hoist-loads %s | filecheck %s

// The compiler of the text moves loads of constant inputs.
// CHECK: gpu.kernel @constant
// CHECK: scf.for
gpu.kernel @constant(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64: 0, 1>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    loop.store %v, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}

// And of all inputs, where the kernel begins when others have ended.
// CHECK: gpu.kernel @after
// CHECK: scf.for
gpu.kernel @after(%x: memref<64xf32>, %n: memref<64xi32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    loop.store %v, %y[%t * 2 + %i] : f32 -> memref<64xf32>
  } {unroll}
  gpu.end
}

// Across stores to shared memory the compiler of the text moves loads by itself.
// CHECK: gpu.kernel @near
// CHECK: scf.for
gpu.kernel @near(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, shared_bytes = 256 : i64, constant_inputs = array<i64>} {
  %s = gpu.shared_alloc {offset = 0 : i64} : memref<64xf32, #loop.space<shared>>
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    %v = loop.load %x[%t * 2 + %i] : memref<64xf32> -> f32
    loop.store %v, %s[%t * 2 + %i] : f32 -> memref<64xf32, #loop.space<shared>>
  } {unroll}
  gpu.end
}
