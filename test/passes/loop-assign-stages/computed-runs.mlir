// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// What is computed of neighbours is computed and stored as a run. Whether the line is there is asked
// once; where it is not, the first run of the tile is computed in its place and zeros are stored.

// CHECK:      %[[ROW:.*]] = loop.index [%t floordiv 4]
// CHECK:      %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK:      %[[LINE:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : index
// CHECK:      %[[NUMBER:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : index
// CHECK-NOT:  scf.if
// CHECK:      loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK:        %[[E:.*]] = loop.load %x[%[[LINE]], %[[NUMBER]] * 8 + %[[V]]] : memref<30x32xf16> -> f32
// CHECK:        %[[S:.*]] = loop.load %s[%[[NUMBER]] * 8 + %[[V]]] : memref<32xf16> -> f32
// CHECK:        %[[P:.*]] = arith.mulf %[[E]], %[[S]] : f32
// CHECK:        %[[Z:.*]] = arith.select %[[IN]], %[[P]], %{{.*}} : f32
// CHECK-NEXT:   loop.store %[[Z]], %a[%t floordiv 4, %t mod 4 * 8 + %[[V]]]
loop.kernel @first_is_there(%x: memref<30x32xf16>, %s: memref<32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %limit = arith.constant 30 : index
      %zero = arith.constant 0.0 : f32
      %in = arith.cmpi slt, %i, %limit : index
      %v = scf.if %in -> (f32) {
        %e = loop.load %x[%i, %j] : memref<30x32xf16> -> f32
        %f = loop.load %s[%j] : memref<32xf16> -> f32
        %p = arith.mulf %e, %f : f32
        scf.yield %p : f32
      } else {
        scf.yield %zero : f32
      }
      loop.yield %v : f32
    }
    loop.yield
  }
  loop.end
}
