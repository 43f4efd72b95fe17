// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// Eight neighbours lie on one side of 64: one decision for them, and a loop of loads in each branch.
// What they load is kept as it is stored.
// CHECK-LABEL: @parts
// CHECK:      %[[R:.*]] = gpu.register_alloc : memref<8xf16, #loop.space<register>>
// CHECK-NEXT: %[[AT:.*]] = loop.index [%t * 8 + %low]
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK:      %[[C:.*]] = arith.cmpi slt, %[[I]]
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT:   scf.for %[[V:.*]] = %low to %eight step %one {
// CHECK-NEXT:     %[[A:.*]] = loop.load %x[%r, %t * 8 + %[[V]]]
// CHECK-NEXT:     loop.store %[[A]], %[[R]][%[[V]]]
// CHECK-NEXT:   } {unroll}
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.for %[[V:.*]] = %low to %eight step %one {
// CHECK-NEXT:     %[[B:.*]] = loop.load %y[%r, %t * 8 + %[[V]] - 64]
// CHECK-NEXT:     loop.store %[[B]], %[[R]][%[[V]]]
// CHECK-NEXT:   } {unroll}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %[[V:.*]] = %low to %eight step %one {
// CHECK-NEXT:   %[[D:.*]] = loop.load %[[R]][%[[V]]]
// CHECK-NEXT:   loop.store %[[D]], %z[%r, %t * 8 + %[[V]]]
// CHECK-NEXT: } {unroll}
gpu.kernel @parts(%x: memref<16x64xf16>, %y: memref<16x32xf16>, %z: memref<16x96xf16>) attributes {grid = array<i64: 16, 1, 1>, block = array<i64: 12, 1, 1>, outputs = 1 : i64} {
  %r = gpu.block_id x : index
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %eight step %one {
    %at = loop.index [%t * 8 + %v]
    %i = arith.index_cast %at : index to i64
    %limit = arith.constant 64 : i64
    %c = arith.cmpi slt, %i, %limit : i64
    %d = scf.if %c -> (f32) {
      %a = loop.load %x[%r, %t * 8 + %v] : memref<16x64xf16> -> f32
      scf.yield %a : f32
    } else {
      %b = loop.load %y[%r, %t * 8 + %v - 64] : memref<16x32xf16> -> f32
      scf.yield %b : f32
    }
    loop.store %d, %z[%r, %t * 8 + %v] : f32 -> memref<16x96xf16>
  } {unroll}
  gpu.end
}
