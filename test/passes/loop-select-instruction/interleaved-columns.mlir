// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// A lane has pairs of four fragments that are eight neighbours in a row of the tile. They are read
// where they are, fragment by fragment, and stored in one loop. Where there are 20 columns, four are
// there together: two pieces, each with its condition.

// CHECK-LABEL: loop.kernel @eight
// CHECK:       %[[R:.*]] = loop.alloc : memref<1x4x4xf32, #loop.space<register>>
// CHECK:       loop.for %[[H:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:    loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector
// CHECK-NEXT:      %[[E:.*]] = loop.load %[[R]][0, %[[V]] floordiv 2, %[[H]] * 2 + %[[V]] mod 2]
// CHECK-NEXT:      loop.store %[[E]], %y[%[[H]] * 8 + %{{.*}} floordiv 4, %{{.*}} mod 4 * 8 + %[[V]]]
loop.kernel @eight(%y: memref<16x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 32] : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}

// CHECK-LABEL: loop.kernel @four_of_twenty
// CHECK:       loop.for %{{.*}} = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:  loop.for %[[P:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK:         %[[C:.*]] = loop.index [%{{.*}} mod 4 * 8 + %[[P]] * 4]
// CHECK:         arith.cmpi slt, %[[C]]
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      loop.for %[[V:.*]] = 0 to 4 kind = parallel map = vector
// CHECK-NEXT:        loop.load %{{.*}}[0, %[[P]] * 2 + %[[V]] floordiv 2
loop.kernel @four_of_twenty(%y: memref<16x20xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %acc = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>>
    loop.drain %acc at [0, 0] within [16, 20] : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x20xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
