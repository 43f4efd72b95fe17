// RUN: dlc-opt %s --gpu-insert-barriers | filecheck %s

// What a loop over tiles touches behind a wait of its own, tokens order from one tile to the next, too: no barrier is
// inserted where not all threads come.
gpu.kernel @roles(%x: memref<7x32xf32>, %y: memref<7x32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %s = gpu.shared_alloc : memref<32xf32, #loop.space<shared>>
  %b = gpu.shared_alloc : memref<2xi64, #loop.space<shared>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %tiles = arith.constant 7 : index
  %warp = arith.constant 32 : index
  %first = arith.cmpi eq, %t, %zero : index
  scf.if %first {
    gpu.mbarrier_init %b[0] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
    gpu.mbarrier_init %b[1] {arrivals = 32 : i64} : memref<2xi64, #loop.space<shared>>
  }
  gpu.barrier
  %fills = arith.cmpi slt, %t, %warp : index
  scf.if %fills {
    scf.for %tile = %zero to %tiles step %one {
      scf.for %k = %zero to %one step %one {
        %p = loop.index [(%tile + %k + 1) mod 2]
        gpu.mbarrier_wait %b[0] parity %p : memref<2xi64, #loop.space<shared>>
        %v = loop.load %x[%tile, %t] : memref<7x32xf32> -> f32
        loop.store %v, %s[31 - %t] : f32 -> memref<32xf32, #loop.space<shared>>
        gpu.mbarrier_arrive %b[1] : memref<2xi64, #loop.space<shared>>
      }
    }
  } else {
    scf.for %tile = %zero to %tiles step %one {
      scf.for %k = %zero to %one step %one {
        %p = loop.index [(%tile + %k) mod 2]
        gpu.mbarrier_wait %b[1] parity %p : memref<2xi64, #loop.space<shared>>
        %v = loop.load %s[%t - 32] : memref<32xf32, #loop.space<shared>> -> f32
        loop.store %v, %y[%tile, %t - 32] : f32 -> memref<7x32xf32>
        gpu.mbarrier_arrive %b[0] : memref<2xi64, #loop.space<shared>>
      }
    }
  }
  gpu.end
}
// CHECK:      gpu.barrier
// CHECK-NOT:  gpu.barrier
