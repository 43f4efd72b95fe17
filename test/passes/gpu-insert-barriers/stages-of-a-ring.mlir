// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// One barrier per iteration is enough: the copy goes to another stage than the one that is read.
gpu.kernel @ring(%x: memref<64x32xf32>, %y: memref<64x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<4x32xf32, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 61 : index
  gpu.cp_async %x[0, %t] to %s[0, %t] {bytes = 4 : i64} : memref<64x32xf32>, memref<4x32xf32, #loop.space<shared>>
  gpu.cp_async_commit
  scf.for %k = %zero to %n step %one {
    gpu.cp_async_wait {outstanding = 0 : i64}
    gpu.barrier
    gpu.cp_async %x[%k + 3, %t] to %s[(%k + 3) mod 4, %t] {bytes = 4 : i64} : memref<64x32xf32>, memref<4x32xf32, #loop.space<shared>>
    gpu.cp_async_commit
    %v = loop.load %s[%k mod 4, 31 - %t] : memref<4x32xf32, #loop.space<shared>> -> f32
    loop.store %v, %y[%k, %t] : f32 -> memref<64x32xf32>
  }
  gpu.end
}
// CHECK:       scf.for
// CHECK-NEXT:    gpu.cp_async_wait
// CHECK-NEXT:    gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:       gpu.end
