// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Two warpgroups below each other, each one product of 64 x 32 per step of 16: the first row of a
// warpgroup's part is the place of the lhs, the same for all of its threads. A warp has 16 rows of the
// part, and of a row's four panels of 8 columns each lane two columns; with interleave = 4 these are 8
// neighbours. Products that are not async are awaited at once.

// CHECK:      %[[W:.*]] = loop.index [%t floordiv 32]
// CHECK-NEXT: %[[L:.*]] = loop.index [%t mod 32]
// CHECK-NEXT: %[[R:.*]] = loop.alloc : memref<1x1x16xf32, #loop.space<register>>
// CHECK:      loop.for %k = 0 to 4
// CHECK-NEXT:   gpu.wgmma_fence
// CHECK-NEXT:   loop.for %[[S:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK-NEXT:     gpu.wgmma %a[%k mod 2, %[[W]] floordiv 4 * 64, %[[S]] * 16], %b[0, %[[S]] * 16], %[[R]][0, 0, 0] {shape = "m64n32k16"}
// CHECK:        gpu.wgmma_commit
// CHECK-NEXT:   gpu.wgmma_wait {outstanding = 0 : i64}
// CHECK:      loop.for %[[H:.*]] = 0 to 2 kind = parallel map = unroll
// CHECK:        loop.index [%[[W]] * 16 + %[[H]] * 8 + %[[L]] floordiv 4]
// CHECK:        loop.for %[[V:.*]] = 0 to 8 kind = parallel map = vector
// CHECK-NEXT:     %[[E:.*]] = loop.load %[[R]][0, 0, %[[V]] floordiv 2 * 4 + %[[H]] * 2 + %[[V]] mod 2]
// CHECK-NEXT:     loop.store %[[E]], %y[%{{.*}}, %[[L]] mod 4 * 8 + %[[V]]]
loop.kernel @g(%y: memref<100x32xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 256 kind = parallel map = thread {
    %acc = loop.zero : memref<128x32xf32, #loop.spread<instruction = "wgmma.m64n32k16", map = spatial(2, 1) * repeat(1, 1), interleave = 4>, #loop.space<register>>
    %a = loop.alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<2x128x32xf16, #loop.space<shared>>
    %b = loop.alloc {swizzle = #gpu.swizzle<2, 4, 3>} : memref<32x32xf16, #loop.space<shared>>
    loop.for %k = 0 to 4 kind = reduction map = serial {
      loop.contract %acc, %a[%k mod 2], %b transpose_rhs {interleave = 4 : i64} : memref<128x32xf32, #loop.spread<instruction = "wgmma.m64n32k16", map = spatial(2, 1) * repeat(1, 1), interleave = 4>, #loop.space<register>>, memref<2x128x32xf16, #loop.space<shared>>, memref<32x32xf16, #loop.space<shared>>
      loop.yield
    }
    loop.drain %acc at [0, 0] within [100, 32] : memref<128x32xf32, #loop.spread<instruction = "wgmma.m64n32k16", map = spatial(2, 1) * repeat(1, 1), interleave = 4>, #loop.space<register>> {
    ^bb0(%i: index, %j: index, %v: f32):
      %n = loop.index [%i]
      loop.store %v, %y[%n, %j] : f32 -> memref<100x32xf16>
      loop.yield
    }
    loop.yield
  }
  loop.end
}
