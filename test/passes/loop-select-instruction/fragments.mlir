// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Four warps in a square, each 1 x 2 instructions of 16 x 8: a fragment of the lhs and a pair of the
// rhs per step of 16, whose lines are along the reduction for one, along the rows for the other. Row
// l / 4 and columns 2 (l mod 4) of each half of a fragment are this lane's; what depends on the row
// only is computed once per row, and rows past the last one are left out.

// CHECK:      %[[W:.*]] = loop.index [%t floordiv 32]
// CHECK-NEXT: %[[L:.*]] = loop.index [%t mod 32]
// CHECK-NEXT: %[[R:.*]] = loop.alloc : memref<1x2x4xf32, #loop.space<register>>
// CHECK:      loop.store %{{.*}}, %[[R]]
// CHECK:      loop.for %k = 0 to 4
// CHECK:        gpu.ldmatrix %a[%k mod 2, %[[W]] floordiv 2 * 16 + %[[L]] floordiv 8 mod 2 * 8 + %[[L]] mod 8, {{.*}} {matrices = 4 : i64} :
// CHECK-NEXT:   gpu.ldmatrix %b[{{.*}} {matrices = 4 : i64, transpose}
// CHECK:        gpu.mma %{{.*}}[0, 0, 0], %{{.*}}[0, 0, %[[J:.*]] * 4], %[[R]][0, %[[J]], 0] {shape = "m16n8k16"}
// CHECK:      loop.for %[[H:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK:        scf.if
// CHECK-NEXT:     %[[HALF:.*]] = loop.index [{{.*}} floordiv 5]
// CHECK-NEXT:     loop.for %[[F:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:       loop.for %[[V:.*]] = 0 to 2 kind = parallel map = vector
// CHECK-NEXT:         %[[E:.*]] = loop.load %[[R]][0, %[[F]], %[[H]] * 2 + %[[V]]]
// CHECK-NEXT:         loop.store %[[E]], %y[%[[HALF]], %[[W]] mod 2 * 16 + %[[F]] * 8 + %[[L]] mod 4 * 2 + %[[V]]]
// CHECK-NOT:  loop.zero
// CHECK-NOT:  loop.contract
// CHECK-NOT:  loop.drain
loop.kernel @g(%y: memref<6x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %acc = loop.zero : memref<32x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 2)>, #loop.space<register>>
    %a = loop.alloc : memref<2x32x16xf16, #loop.space<shared>>
    %b = loop.alloc : memref<16x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      loop.contract %acc, %a[%k mod 2], %b : memref<32x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 2)>, #loop.space<register>>, memref<2x32x16xf16, #loop.space<shared>>, memref<16x32xf16, #loop.space<shared>>
      loop.yield
    }
    loop.drain %acc at [0, 0] within [30, 32] : memref<32x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(1, 2)>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %n = loop.index [%i floordiv 5]
      loop.store %v, %y[%n, %j] : f32 -> memref<6x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
