// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// The objects are made before a barrier. Behind a wait for one, tokens order the ring; after the
// branches, where all threads are together again, a barrier does.
gpu.kernel @roles(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %warp = arith.constant 32 : index
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.mbarrier_init %b[0] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
    gpu.mbarrier_init %b[1] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
  }
  %fills = arith.cmpi slt, %t, %warp : index
  scf.if %fills {
    scf.for %k = %zero to %warp step %one {
      %p = loop.index [(%k + 1) mod 2]
      gpu.mbarrier_wait %b[0] parity %p : memref<2xi64, #loop.space<shared>>
      %v = loop.load %x[%k + %t] : memref<64xf32> -> f32
      loop.store %v, %s[31 - %t] : f32 -> memref<32xf32, #loop.space<shared>>
      %w = loop.load %s[31 - %t] : memref<32xf32, #loop.space<shared>> -> f32
      gpu.mbarrier_arrive %b[1] : memref<2xi64, #loop.space<shared>>
    }
  } else {
    scf.for %k = %zero to %warp step %one {
      %p = loop.index [%k mod 2]
      gpu.mbarrier_wait %b[1] parity %p : memref<2xi64, #loop.space<shared>>
      %v = loop.load %s[%t - 32] : memref<32xf32, #loop.space<shared>> -> f32
      gpu.mbarrier_arrive %b[0] : memref<2xi64, #loop.space<shared>>
    }
  }
  %u = loop.load %s[%t mod 32] : memref<32xf32, #loop.space<shared>> -> f32
  loop.store %u, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}
// CHECK:      gpu.mbarrier_init %b[1]
// CHECK-NEXT: }
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NOT:  gpu.barrier
// CHECK:      gpu.mbarrier_arrive %b[0]
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: loop.load %s
