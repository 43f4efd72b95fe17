// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Two products, each with 16 of the 32 columns: the first step multiplies the first 16 places of the lhs with the
// columns of the first product, the second step the others. The rhs has 16 places for all columns.

// CHECK:      gpu.ldmatrix %s[{{.*}}, %t floordiv 16 * 8] to %[[X:.*]][0, 0, 0]
// CHECK:      gpu.ldmatrix %r[%t floordiv 16 * 8 + %t mod 8, %t floordiv 8 mod 2 * 8] to %[[W:.*]][0, 0, 0]
// CHECK:      gpu.ldmatrix %s[{{.*}}, %t floordiv 16 * 8 + 16] to %[[X]][1, 0, 0]
// CHECK:      gpu.ldmatrix %r[%t floordiv 16 * 8 + %t mod 8 + 16, %t floordiv 8 mod 2 * 8] to %[[W]][1, 0, 0]
// CHECK:      loop.for %[[J:.*]] = 0 to 2
// CHECK-NEXT:   gpu.mma %[[X]][0, 0, 0], %[[W]][0, 0, %[[J]] * 4], %[[C:.*]][0, %[[J]], 0]
// CHECK:      loop.for %[[I:.*]] = 0 to 2
// CHECK-NEXT:   gpu.mma %[[X]][1, 0, 0], %[[W]][1, 0, %[[I]] * 4], %[[C]][0, %[[I]] + 2, 0]
loop.kernel @g(%y: memref<16x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 32 kind = parallel map = thread {
    %a = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>
    %s = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    %r = loop.alloc : memref<32x16xf16, #loop.space<shared>>
    loop.contract %a, %s, %r transpose_rhs {groups = 2 : i64} : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>>, memref<16x32xf16, #loop.space<shared>>, memref<32x16xf16, #loop.space<shared>>
    loop.drain %a at [0, 0] within [16, 32] : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = repeat(1, 4)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      loop.store %v, %y[%i, %j] : f32 -> memref<16x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
