// RUN: dlc-opt --gpu-merge-loads %s | filecheck %s

// The same place of two inputs.
// CHECK: gpu.kernel @inputs
// CHECK: gpu.copy %x
// CHECK: gpu.copy %z
gpu.kernel @inputs(%x: memref<128xf32>, %z: memref<128xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 4] to %a[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %z[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %c = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
  %d = loop.load %b[0] : memref<4xf32, #loop.space<register>> -> f32
  %e = arith.addf %c, %d : f32
  loop.store %e, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}

// A part of the registers: what the others hold may differ.
// CHECK: gpu.kernel @parts
// CHECK-COUNT-2: gpu.copy %x
gpu.kernel @parts(%x: memref<128xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 2] to %a[0] {elements = 2 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  gpu.copy %x[%t * 2] to %b[2] {elements = 2 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  %c = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
  %d = loop.load %b[2] : memref<4xf32, #loop.space<register>> -> f32
  %e = arith.addf %c, %d : f32
  loop.store %e, %y[%t] : f32 -> memref<64xf32>
  gpu.end
}

// Registers of the block around the one that loads: they are used there, too.
// CHECK: gpu.kernel @around
// CHECK-COUNT-2: gpu.copy %x
gpu.kernel @around(%x: memref<128xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64, constant_inputs = array<i64>} {
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %t, %zero : index
  %b = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.if %first {
    %a = gpu.register_alloc : memref<4xf32, #loop.space<register>>
    gpu.copy %x[%t * 4] to %a[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
    %c = loop.load %a[0] : memref<4xf32, #loop.space<register>> -> f32
    loop.store %c, %y[%t] : f32 -> memref<64xf32>
    gpu.copy %x[%t * 4] to %b[0] {elements = 4 : i64} : memref<128xf32>, memref<4xf32, #loop.space<register>>
  }
  %d = loop.load %b[1] : memref<4xf32, #loop.space<register>> -> f32
  loop.store %d, %y[%t + 32] : f32 -> memref<64xf32>
  gpu.end
}
