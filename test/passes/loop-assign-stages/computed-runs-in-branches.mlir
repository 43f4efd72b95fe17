// RUN: dlc-opt %s --loop-assign-stages | filecheck %s

// Not even the first run of the tile is sure to be there: one branch computes, the other stores zeros.

// CHECK:      scf.if
// CHECK:        loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK:          loop.load %x[%n * 32 + %t floordiv 4, %t mod 4 * 8 + %[[V]]]
// CHECK:          math.exp
// CHECK:          loop.store %{{.*}}, %a[%t floordiv 4, %t mod 4 * 8 + %[[V]]]
// CHECK:      } else {
// CHECK:        loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK:          loop.store %{{.*}}, %a[%t floordiv 4, %t mod 4 * 8 + %[[V]]]
loop.kernel @g(%x: memref<30x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %n = 0 to 2 kind = parallel map = grid {
    loop.for %t = 0 to 128 kind = parallel map = thread {
      %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
      loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %limit = arith.constant 30 : index
        %zero = arith.constant 0.0 : f32
        %row = loop.index [%n * 32 + %i]
        %in = arith.cmpi slt, %row, %limit : index
        %v = scf.if %in -> (f32) {
          %e = loop.load %x[%n * 32 + %i, %j] : memref<30x32xf16> -> f32
          %p = math.exp %e : f32
          scf.yield %p : f32
        } else {
          scf.yield %zero : f32
        }
        loop.yield %v : f32
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// What does not lie together is computed element by element, with a condition each.

// CHECK-LABEL: @apart
// CHECK:       loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector {
// CHECK-NEXT:    %[[E:.*]] = loop.load %x[%t mod 4 * 8 + %[[V]], %t floordiv 4]
// CHECK-NEXT:    math.exp
loop.kernel @apart(%x: memref<32x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %a = loop.alloc : memref<32x32xf16, #loop.space<shared>>
    loop.stage %a map = <spatial(32, 4) * repeat(1, 8)> : memref<32x32xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%j, %i] : memref<32x32xf16> -> f32
      %p = math.exp %e : f32
      loop.yield %p : f32
    }
    loop.yield
  }
  loop.end
}
