// RUN: dlc-opt %s --gpu-vectorize-memory | filecheck %s

// The guard on the row is one condition for the vector; a guard on the column differs by neighbour.
gpu.kernel @padded(%x: memref<14x64xf32>, %y: memref<16x64xf32>, %z: memref<16x64xf32>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 2 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %width = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %width step %one {
    %a = loop.load %x[%r - 1, %t * 4 + %v] guard [0] fill 0xff800000 : f32 : memref<14x64xf32> -> f32
    loop.store %a, %y[%r, %t * 4 + %v] : f32 -> memref<16x64xf32>
    %b = loop.load %x[0, %t * 4 + %v - 4] guard [1] fill 0.000000e+00 : f32 : memref<14x64xf32> -> f32
    loop.store %b, %z[%r, %t * 4 + %v] : f32 -> memref<16x64xf32>
  } {unroll}
  gpu.end
}
// CHECK:      %[[R:.*]] = gpu.register_alloc
// CHECK-NEXT: %[[ROW:.*]] = loop.index [%r - 1]
// CHECK:      arith.cmpi sge, %[[ROW]]
// CHECK:      arith.cmpi slt, %[[ROW]]
// CHECK:      %[[IN:.*]] = arith.andi
// CHECK-NEXT: %[[FILL:.*]] = arith.constant 0xff800000 : f32
// CHECK-NEXT: scf.if %[[IN]] {
// CHECK-NEXT:   gpu.copy %x[%r - 1, %t * 4] to %[[R]][0] {elements = 4 : i64}
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.for %[[V:.*]] = %low to %width step %one {
// CHECK-NEXT:     loop.store %[[FILL]], %[[R]][%[[V]]]
// CHECK-NEXT:   } {unroll}
// CHECK-NEXT: }
// CHECK:        loop.load %x[0, %t * 4 + %v - 4] guard [1]
