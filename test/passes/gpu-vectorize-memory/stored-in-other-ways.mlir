// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// Copies do not go straight to registers where only some of it is stored, or a guard must be asked.

// CHECK-LABEL: @some
// CHECK:      gpu.copy %x[%t * 4] to %[[N:.*]][0] {elements = 4 : i64}
// CHECK:      scf.if %c {
// CHECK-NEXT:   loop.store %a, %r[%v]
gpu.kernel @some(%x: memref<64xf32>, %c0: memref<1xi64>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 0 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %c = arith.cmpi slt, %t, %four : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
    scf.if %c {
      loop.store %a, %r[%v] : f32 -> memref<4xf32, #loop.space<register>>
    }
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @guarded
// CHECK:      scf.if
// CHECK-NEXT:   gpu.copy %x
// CHECK:      loop.store %a, %r[%v]
gpu.kernel @guarded(%x: memref<16x4xf32>, %o: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t - 1, %v] guard [0] fill 0.0 : f32 : memref<16x4xf32> -> f32
    loop.store %a, %r[%v] : f32 -> memref<4xf32, #loop.space<register>>
  } {unroll}
  gpu.end
}
