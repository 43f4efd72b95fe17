// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// Copies do not go straight to where a loop stores what it loads, unless these are registers in the
// same order, as many as it has neighbours, which nothing else in the loop touches.

// CHECK-LABEL: @turned
// CHECK:      gpu.copy %x[%t * 4] to %[[N:.*]][0] {elements = 4 : i64}
// CHECK:      loop.load %[[N]]
// CHECK-NEXT: loop.store %a, %r[%v * -1 + 3]
gpu.kernel @turned(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 0 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
    loop.store %a, %r[3 - %v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @part
// CHECK:      loop.store %a, %r[%v]
gpu.kernel @part(%x: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 0 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
    loop.store %a, %r[%v] : f32 -> memref<8xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @sums
// CHECK:      loop.load %r[%v]
// CHECK:      loop.store %a, %r[%v]
gpu.kernel @sums(%x: memref<64xf32>, %y: memref<64xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %low to %four step %one {
    %old = loop.load %r[%v] : memref<4xf32, #loop.space<register>> -> f32
    loop.store %old, %y[%t * 4 + %v] : f32 -> memref<64xf32>
    %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
    loop.store %a, %r[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
