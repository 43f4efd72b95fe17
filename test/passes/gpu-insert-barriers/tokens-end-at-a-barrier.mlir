// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// Tokens order what comes behind a wait, up to the next barrier; what comes later needs one again.
// CHECK:      gpu.mbarrier_wait
// CHECK-NEXT: loop.load %s[
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.store %v, %s[%t]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %s[
gpu.kernel @k(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<64xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<1xi64, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.mbarrier_init %b[0] {arrivals = 64 : i64} : memref<1xi64, #loop.space<shared>>
  }
  gpu.barrier
  %v = loop.load %x[%t] : memref<64xf32> -> f32
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  gpu.mbarrier_arrive %b[0] : memref<1xi64, #loop.space<shared>>
  gpu.mbarrier_wait %b[0] parity %zero : memref<1xi64, #loop.space<shared>>
  %w = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  gpu.barrier
  loop.store %v, %s[%t] : f32 -> memref<64xf32, #loop.space<shared>>
  %u = loop.load %s[63 - %t] : memref<64xf32, #loop.space<shared>> -> f32
  %r = arith.addf %u, %w : f32
  loop.store %r, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}
