// RUN: dlc-opt %s --gpu-hoist-choices | filecheck %s

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
