// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// Copies do not go straight to memory, nor to an element that another loop names.
// CHECK-LABEL: @to_memory
// CHECK:      gpu.copy %x[%t * 4] to %[[N:.*]][0] {elements = 4 : i64}
// CHECK:      gpu.copy %{{.*}} to %o[0]
gpu.kernel @to_memory(%x: memref<64xf32>, %o: memref<4xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %four step %one {
    %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
    loop.store %a, %o[%v] : f32 -> memref<4xf32>
  } {unroll}
  gpu.end
}

// CHECK-LABEL: @one_of_another
// CHECK:      loop.store %a, %r[%k]
gpu.kernel @one_of_another(%x: memref<64xf32>, %o: memref<1xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<4xf32, #loop.space<register>>
  scf.for %k = %low to %four step %one {
    scf.for %v = %low to %four step %one {
      %a = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
      loop.store %a, %r[%k] : f32 -> memref<4xf32, #loop.space<register>>
    } {unroll}
  }
  gpu.end
}
