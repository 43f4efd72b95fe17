// RUN: dlc-opt %s --gpu-unroll-pairs | filecheck %s

// CHECK-NOT: unroll_pairs

// Matrix loads are of a whole warp: products hide the places there.
gpu.kernel @warps(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    gpu.barrier
    gpu.ldmatrix %s[%k mod 2, 0] to %a[0] {matrices = 4 : i64} : memref<2x32xf32, #loop.space<shared>>, memref<8xf32, #loop.space<register>>
    %v = loop.load %s[%k mod 2, %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  }
  gpu.end
}


// What is written out already stays so.
gpu.kernel @all(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %a = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    gpu.barrier
    %v = loop.load %s[%k mod 2, %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  } {unroll}
  gpu.end
}
