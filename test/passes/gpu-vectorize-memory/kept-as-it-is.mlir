// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// What is only left in registers of the same type is copied there, and the loop is gone.
// CHECK-LABEL: @kept
// CHECK:      %r = gpu.register_alloc
// CHECK:      gpu.copy %x[%t * 8] to %r[0] {elements = 8 : i64}
// CHECK-NOT:  loop.store {{.*}}, %r
// CHECK:      scf.for
// CHECK-NOT:  scf.for
gpu.kernel @kept(%x: memref<128xf16>, %o: memref<128xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<8xf16, #loop.space<register>>
  scf.for %v = %low to %eight step %one {
    %a = loop.load %x[%t * 8 + %v] : memref<128xf16> -> f32
    loop.store %a, %r[%v] : f32 -> memref<8xf16, #loop.space<register>>
  } {unroll}
  scf.for %v = %low to %eight step %one {
    %a = loop.load %r[%v] : memref<8xf16, #loop.space<register>> -> f32
    loop.store %a, %o[%t * 8 + %v] : f32 -> memref<128xf16>
  } {unroll}
  gpu.end
}

// Registers of another type take what the load gives.
// CHECK-LABEL: @converted
// CHECK:      loop.store {{.*}}, %r
gpu.kernel @converted(%x: memref<128xf16>, %o: memref<128xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  %r = gpu.register_alloc : memref<8xf32, #loop.space<register>>
  scf.for %v = %low to %eight step %one {
    %a = loop.load %x[%t * 8 + %v] : memref<128xf16> -> f32
    loop.store %a, %r[%v] : f32 -> memref<8xf32, #loop.space<register>>
  } {unroll}
  scf.for %v = %low to %eight step %one {
    %a = loop.load %r[%v] : memref<8xf32, #loop.space<register>> -> f32
    loop.store %a, %o[%t * 8 + %v] : f32 -> memref<128xf16>
  } {unroll}
  gpu.end
}
