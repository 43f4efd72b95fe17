// RUN: dlc-opt %s --gpu-check-limits=arch=sm_90a | filecheck %s

// A thread takes one branch of each condition: 200 registers of one and 200 of the other are no 400.

// CHECK: gpu.kernel @roles
gpu.kernel @roles(%x: memref<8xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %one = arith.constant 1.0 : f32
  %warp = arith.constant 32 : index
  %first = arith.cmpi slt, %t, %warp : index
  scf.if %first {
    %a = gpu.register_alloc : memref<200xf32, #loop.space<register>>
    loop.store %one, %a[0] : f32 -> memref<200xf32, #loop.space<register>>
  } else {
    %b = gpu.register_alloc : memref<200xf32, #loop.space<register>>
    loop.store %one, %b[0] : f32 -> memref<200xf32, #loop.space<register>>
  }
  gpu.end
}
