// RUN: %roundtrip

// Two warps have columns of scores beside each other. Both have the queries, and sums of their own keys.

// CHECK: loop.kernel @teams
loop.kernel @teams(%y: memref<2x5x24xf16>, %s: memref<2x7x5x28xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 7840>} {
  loop.for %b = 0 to 14 kind = parallel map = grid {
    %n = loop.index [%b floordiv 7]
    %p = loop.index [%b mod 7]
    loop.for %t = 0 to 64 kind = parallel map = thread {
      %c = gpu.counter_alloc : memref<2xi32>
      %qs = loop.alloc : memref<16x48xf16, #loop.space<shared>>
      %ks = loop.alloc : memref<32x48xf16, #loop.space<shared>>
      %vs = loop.alloc : memref<32x24xf16, #loop.space<shared>>
      // CHECK: %q = loop.load_fragment %qs : memref<16x48xf16, #loop.space<shared>> -> memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6), teams = 2>, #loop.space<register>>
      %q = loop.load_fragment %qs : memref<16x48xf16, #loop.space<shared>> -> memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6), teams = 2>, #loop.space<register>>
      // CHECK: %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
      %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
      %x = loop.zero : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>
      // CHECK: loop.contract %x, %q, %ks transpose_rhs : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6), teams = 2>, #loop.space<register>>, memref<32x48xf16, #loop.space<shared>>
      loop.contract %x, %q, %ks transpose_rhs : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x48xf16, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 6), teams = 2>, #loop.space<register>>, memref<32x48xf16, #loop.space<shared>>
      // CHECK: loop.online_softmax %x at [0] within [31] for %o : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
      loop.online_softmax %x at [0] within [31] for %o : memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
      // CHECK: loop.contract %o, %x, %vs : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>, memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf16, #loop.space<shared>>
      loop.contract %o, %x, %vs : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>, memref<16x32xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 2) * repeat(1, 2)>, #loop.space<register>>, memref<32x24xf16, #loop.space<shared>>
      // CHECK: loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>
      loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3), teams = 2>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%n, %row, %column] : f32 -> memref<2x5x24xf16>
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
