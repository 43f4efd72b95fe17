// RUN: dlc-opt %s --gpu-align-loads | filecheck %s
// RUN: dlc-opt %s --gpu-align-loads --gpu-vectorize-memory | filecheck %s --check-prefix=WIDE

// Eight halves from column 33 on: two loads of eight, of which the neighbours are the second to the ninth.
// CHECK-LABEL: gpu.kernel @halves
// CHECK:         %[[R:.*]] = gpu.register_alloc : memref<16xf16, #loop.space<register>>
// CHECK:         scf.for %[[U:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[A:.*]] = loop.load %x[%{{.*}}, %{{.*}} mod 4 * 8 + %[[U]] + 32] : memref<64x72xf16> -> f32
// CHECK-NEXT:      loop.store %[[A]], %[[R]][%[[U]]] : f32 -> memref<16xf16, #loop.space<register>>
// CHECK-NEXT:    } {unroll}
// CHECK:         scf.for %[[V:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[B:.*]] = loop.load %[[R]][%[[V]] + 1]
// CHECK-NEXT:      loop.store %[[B]], %y
// WIDE-LABEL: gpu.kernel @halves
// WIDE:         gpu.copy %x[%{{.*}}, %{{.*}} mod 4 * 8 + 32] to %{{.*}}[0] {elements = 8 : i64}
// WIDE-NEXT:    gpu.copy %x[%{{.*}}, %{{.*}} mod 4 * 8 + 40] to %{{.*}}[8] {elements = 8 : i64}
gpu.kernel @halves(%x: memref<64x72xf16>, %y: memref<64x32xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %eight step %one {
    %a = loop.load %x[%b * 16 + %t floordiv 4, %t mod 4 * 8 + %v + 33] : memref<64x72xf16> -> f32
    loop.store %a, %y[%b * 16 + %t floordiv 4, %t mod 4 * 8 + %v] : f32 -> memref<64x32xf16>
  } {unroll}
  gpu.end
}

// Lines of 70 halves end before the ninth from column 64 on: loads of two, five in place of eight.
// CHECK-LABEL: gpu.kernel @near_the_end
// CHECK:         gpu.register_alloc : memref<10xf16, #loop.space<register>>
gpu.kernel @near_the_end(%x: memref<64x70xf16>, %y: memref<64x32xf16>) attributes {grid = array<i64: 4, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %b = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %v = %zero to %eight step %one {
    %a = loop.load %x[%b * 16 + %t floordiv 4, %t mod 4 * 8 + %v + 33] : memref<64x70xf16> -> f32
    loop.store %a, %y[%b * 16 + %t floordiv 4, %t mod 4 * 8 + %v] : f32 -> memref<64x32xf16>
  } {unroll}
  gpu.end
}
