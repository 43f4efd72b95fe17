// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// 8 halves are one instruction, 8 floats two; what is not aligned, not next to each other or
// also written stays as it is.
gpu.kernel @mixed(%x: memref<64x80xf16>, %z: memref<64x81xf32>, %y: memref<64x80xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %high = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %high step %one {
    %column = loop.index [%v + 16]
    %a = loop.load %x[%t, %column] : memref<64x80xf16> -> f32
    %b = loop.load %z[%t, %v] : memref<64x81xf32> -> f32
    %c = loop.load %x[%v, %t] : memref<64x80xf16> -> f32
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    loop.store %abc, %y[%t, %v + 8] : f32 -> memref<64x80xf32>
  } {unroll}
  gpu.end
}
// CHECK:      %[[X:.*]] = gpu.register_alloc : memref<8xf16, #loop.space<register>>
// CHECK-NEXT: gpu.copy %x[%t, 16] to %[[X]][0] {elements = 8 : i64}
// CHECK-NEXT: %[[Y:.*]] = gpu.register_alloc : memref<8xf32, #loop.space<register>>
// CHECK-NEXT: scf.for %v
// CHECK-NEXT:   loop.index
// CHECK-NEXT:   loop.load %[[X]][%v] : memref<8xf16, #loop.space<register>> -> f32
// CHECK-NEXT:   loop.load %z[%t, %v]
// CHECK-NEXT:   loop.load %x[%v, %t]
// CHECK:        loop.store %{{.*}}, %[[Y]][%v]
// CHECK-NEXT: } {unroll}
// CHECK-NEXT: gpu.copy %[[Y]][0] to %y[%t, 8] {elements = 4 : i64}
// CHECK-NEXT: gpu.copy %[[Y]][4] to %y[%t, 12] {elements = 4 : i64}
