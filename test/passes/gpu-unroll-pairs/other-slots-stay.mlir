// RUN: dlc-opt %s --gpu-unroll-pairs | filecheck %s

// CHECK-NOT: unroll_pairs

// Of three slots a pair of iterations does not say which one it is.
gpu.kernel @three(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<3x32xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    gpu.barrier
    %v = loop.load %s[%k mod 3, %t] : memref<3x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  }
  gpu.end
}


// Without a barrier no slots take turns.
gpu.kernel @alone(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    %v = loop.load %s[%k mod 2, %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  }
  gpu.end
}


// A slot that the iteration does not choose is none of its turns.
gpu.kernel @another(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    gpu.barrier
    %v = loop.load %s[%t mod 2, %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  }
  gpu.end
}
