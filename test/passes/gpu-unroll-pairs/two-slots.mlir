// RUN: dlc-opt %s --gpu-unroll-pairs | filecheck %s
// RUN: dlc-opt %s --gpu-unroll-pairs --gpu-allocate-shared -t cuda | filecheck %s --check-prefix CUDA

// Two iterations at a time: of each it is known which slot it has.
// CHECK:      scf.for %k
// CHECK:        loop.load %s[%k mod 2, %t]
// CHECK:      } {unroll_pairs}

// CUDA:      #pragma unroll 2
// CUDA-NEXT: for (int
gpu.kernel @two(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
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
  }
  gpu.end
}

// Copies that each thread waits for alone are nothing that a warp does together.
// CHECK-LABEL: @copies
// CHECK:       gpu.cp_async_wait
// CHECK:       } {unroll_pairs}
gpu.kernel @copies(%x: memref<9x32xf32>, %y: memref<9x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<2x32xf32, #loop.space<shared>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %k = %c0 to %c9 step %c1 {
    gpu.cp_async %x[%k, %t] to %s[%k mod 2, %t] {bytes = 4 : i64} : memref<9x32xf32>, memref<2x32xf32, #loop.space<shared>>
    gpu.cp_async_commit
    gpu.cp_async_wait {outstanding = 0 : i64}
    gpu.barrier
    %v = loop.load %s[%k mod 2, 31 - %t] : memref<2x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<9x32xf32>
  }
  gpu.end
}
