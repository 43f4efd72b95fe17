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

// A part that is computed keeps its type; of three parts all leave their values in the same place.
// CHECK-LABEL: @three
// CHECK:      %[[R:.*]] = gpu.register_alloc : memref<4xf32, #loop.space<register>>
// CHECK:      arith.cmpi sge
// CHECK-NEXT: scf.if %{{.*}} {
// CHECK:        %[[E:.*]] = math.exp
// CHECK-NEXT:   loop.store %[[E]], %[[R]][
// CHECK:      } else {
// CHECK:        arith.cmpi slt
// CHECK-NEXT:   scf.if %{{.*}} {
// CHECK:          loop.store %{{.*}}, %[[R]][
// CHECK:        } else {
// CHECK:          loop.store %{{.*}}, %[[R]][
gpu.kernel @three(%x: memref<64xf32>, %y: memref<32xf32>, %z: memref<32xf32>, %o: memref<128xf32>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %four step %one {
    %at = loop.index [%t * 4 + %v]
    %last = arith.constant 96 : index
    %p = arith.cmpi sge, %at, %last : index
    %d = scf.if %p -> (f32) {
      %a = loop.load %z[%t * 4 + %v - 96] : memref<32xf32> -> f32
      %e = math.exp %a : f32
      scf.yield %e : f32
    } else {
      %limit = arith.constant 64 : index
      %q = arith.cmpi slt, %at, %limit : index
      %f = scf.if %q -> (f32) {
        %b = loop.load %x[%t * 4 + %v] : memref<64xf32> -> f32
        scf.yield %b : f32
      } else {
        %c = loop.load %y[%t * 4 + %v - 64] : memref<32xf32> -> f32
        scf.yield %c : f32
      }
      scf.yield %f : f32
    }
    loop.store %d, %o[%t * 4 + %v] : f32 -> memref<128xf32>
  } {unroll}
  gpu.end
}
