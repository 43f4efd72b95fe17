// RUN: dlc-opt %s --loop-select-instruction | filecheck %s

// Both warps load all queries. Each multiplies them with its own 16 of the 32 keys, and its weights with the values of these.
// Their sums meet in shared memory before the block's part goes to scratch.

// CHECK:      gpu.ldmatrix %qs[%[[L:.*]] floordiv 8 mod 2 * 8 + %[[L]] mod 8, %[[L]] floordiv 16 * 8]
// CHECK:      gpu.ldmatrix %ks[%[[W:[0-9]+]] * 16 +
// CHECK:      loop.index [%p * 32 + %[[W]] * 16 +
// CHECK:      gpu.ldmatrix %vs[%[[W]] * 16 + {{.*}}] to %{{.*}} {matrices = 4 : i64, transpose}
// CHECK:      %[[M:.*]] = loop.alloc : memref<2x3x20xf32, #loop.space<shared>>
// CHECK-NEXT: gpu.barrier
// CHECK:      loop.store %{{.*}}, %[[M]][
// CHECK:      gpu.barrier
// CHECK:      loop.load %[[M]][%{{.*}}, %t floordiv 4, 16]
// CHECK:      loop.store %{{.*}}, %s[%n, %p, %t floordiv 4,
// CHECK:      gpu.atomic_add
// CHECK:      loop.load %s[
// CHECK:      loop.store %{{.*}}, %y[
loop.kernel @teams(%y: memref<2x3x16xf16>, %s: memref<2x5x3x20xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 2400>} {
  loop.for %b = 0 to 10 kind = parallel map = grid {
    %n = loop.index [%b floordiv 5]
    %p = loop.index [%b mod 5]
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %c = gpu.counter_alloc : memref<2xi32>
      %qs = loop.alloc : memref<16x16xf16, #loop.space<shared>>
      %ks = loop.alloc : memref<32x16xf16, #loop.space<shared>>
      %vs = loop.alloc : memref<32x16xf16, #loop.space<shared>>
      %q = loop.load_fragment %qs : memref<16x16xf16, #loop.space<shared>> -> memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>
      %o = loop.zero : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>
      %x = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>
      loop.contract %x, %q, %ks transpose_rhs : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>
      loop.online_softmax %x at [%p * 32] within [150] for %o : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>
      loop.contract %o, %x, %vs : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>, memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<32x16xf16, #loop.space<shared>>
      loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [3, 16] : memref<16x16xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 2), teams = 2>, #loop.space<register>>, memref<2x5x3x20xf32>, memref<2xi32> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%n, %row, %column] : f32 -> memref<2x3x16xf16>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
