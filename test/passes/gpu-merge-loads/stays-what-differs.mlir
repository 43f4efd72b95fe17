// RUN: dlc-opt --gpu-merge-loads %s | filecheck %s

// What the kernel writes may be something else the second time.
// CHECK: gpu.kernel @written
// CHECK-COUNT-2: loop.load %y
gpu.kernel @written(%y: memref<32xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %v = loop.load %y[%t] : memref<32xf32> -> f32
  loop.store %v, %y[%t] : f32 -> memref<32xf32>
  %u = loop.load %y[%t] : memref<32xf32> -> f32
  loop.store %u, %y[%t] : f32 -> memref<32xf32>
  gpu.end
}

// Registers that are written again; other places; a branch that does not run for all.
// CHECK: gpu.kernel @others
// CHECK-COUNT-2: gpu.copy %x
// CHECK: loop.load %x[%t]
// CHECK: loop.load %x[%t + 1]
// CHECK: loop.load %x[%t + 2]
// CHECK: loop.load %x[%t + 2]
gpu.kernel @others(%x: memref<128xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 4] to %a[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %c = loop.load %x[%t] : memref<128xf32> -> f32
  loop.store %c, %b[0] : f32 -> memref<4xf32, #loop.space<register>>
  %d = loop.load %x[%t + 1] : memref<128xf32> -> f32
  loop.store %d, %b[1] : f32 -> memref<4xf32, #loop.space<register>>
  scf.if %first {
    %e = loop.load %x[%t + 2] : memref<128xf32> -> f32
    loop.store %e, %y[%t] : f32 -> memref<64xf32>
  }
  %f = loop.load %x[%t + 2] : memref<128xf32> -> f32
  loop.store %f, %y[%t + 32] : f32 -> memref<64xf32>
  gpu.end
}
