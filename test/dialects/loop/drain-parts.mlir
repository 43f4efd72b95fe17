// RUN: %roundtrip

// CHECK: loop.kernel @parts
loop.kernel @parts(%y: memref<2x5x24xf16>, %s: memref<2x7x5x28xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 7840>} {
  loop.for %b = 0 to 14 kind = parallel map = grid {
    %n = loop.index [%b floordiv 7]
    %p = loop.index [%b mod 7]
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %c = gpu.counter_alloc : memref<2xi32>
      %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
      // CHECK: loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
      // CHECK-NEXT: ^bb0(%row: index, %column: index, %value: f32):
      loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.store %value, %y[%n, %row, %column] : f32 -> memref<2x5x24xf16>
        loop.yield
      }
      // CHECK: loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] : memref
      loop.drain_parts %o through %s[%n, %p] counters %c at [0, 0] within [5, 24] : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>, memref<2x7x5x28xf32>, memref<2xi32> {
      ^bb0(%row: index, %column: index, %value: f32):
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
