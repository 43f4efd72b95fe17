// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

// Of three parts that are loaded, all leave halves in one place, which the choice around asks for: there are
// no other registers, and nothing is loaded from one to be stored in the other.
// CHECK-LABEL: @one_place
// CHECK:      %[[R:.*]] = gpu.register_alloc : memref<8xf16, #loop.space<register>>
// CHECK-NOT:  gpu.register_alloc
// CHECK-COUNT-3: loop.store %{{.*}}, %[[R]][
// CHECK:      scf.for
// CHECK-NEXT:   loop.load %[[R]]
// CHECK-NEXT:   loop.store %{{.*}}, %o
// CHECK-NOT:  scf.for
gpu.kernel @one_place(%x: memref<128xf16>, %y: memref<128xf16>, %z: memref<128xf16>, %o: memref<128xf16>) attributes {grid = array<i64: 1, 1, 1>, block = array<i64: 16, 1, 1>, outputs = 1 : i64} {
  %t = gpu.thread_id x : index
  %low = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %v = %low to %eight step %one {
    %at = loop.index [%t * 8 + %v]
    %last = arith.constant 96 : index
    %p = arith.cmpi sge, %at, %last : index
    %d = scf.if %p -> (f32) {
      %a = loop.load %z[%t * 8 + %v] : memref<128xf16> -> f32
      scf.yield %a : f32
    } else {
      %limit = arith.constant 64 : index
      %q = arith.cmpi slt, %at, %limit : index
      %f = scf.if %q -> (f32) {
        %b = loop.load %x[%t * 8 + %v] : memref<128xf16> -> f32
        scf.yield %b : f32
      } else {
        %c = loop.load %y[%t * 8 + %v] : memref<128xf16> -> f32
        scf.yield %c : f32
      }
      scf.yield %f : f32
    }
    loop.store %d, %o[%t * 8 + %v] : f32 -> memref<128xf16>
  } {unroll}
  gpu.end
}
