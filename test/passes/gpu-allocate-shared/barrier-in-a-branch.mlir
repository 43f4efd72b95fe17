// RUN: dlc-opt %s --gpu-allocate-shared | filecheck %s

// In the branch %a is done with before the barrier, so %b may have its bytes. Behind the branch
// threads come that have met no barrier: %c shares with neither.
gpu.kernel @branch(%x: memref<64xi32>) attributes {grid = array<i64: 2, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %n = gpu.block_id x : index
  %v = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %a = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  %c = gpu.shared_alloc : memref<16xf32, #loop.space<shared>>
  %first = arith.cmpi slt, %n, %one : index
  scf.if %first {
    loop.store %v, %a[%t] : f32 -> memref<64xf32, #loop.space<shared>>
    gpu.barrier
    loop.store %v, %b[0] : f32 -> memref<32xf32, #loop.space<shared>>
  }
  loop.store %v, %c[0] : f32 -> memref<16xf32, #loop.space<shared>>
  gpu.end
}
// CHECK:      shared_bytes = 320 : i64
// CHECK:      %a = gpu.shared_alloc {offset = 0 : i64} : memref<64xf32
// CHECK-NEXT: %b = gpu.shared_alloc {offset = 0 : i64} : memref<32xf32
// CHECK-NEXT: %c = gpu.shared_alloc {offset = 256 : i64} : memref<16xf32
