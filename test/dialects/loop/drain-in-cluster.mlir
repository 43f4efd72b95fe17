// RUN: %roundtrip

// CHECK: loop.kernel @parts
loop.kernel @parts(%y: memref<2x5x24xf16>) attributes {outputs = 1 : i64, cluster = 2 : i64} {
  loop.for %b = 0 to 4 kind = parallel map = grid {
    %n = loop.index [%b floordiv 2]
    loop.for %t = 0 to 32 kind = parallel map = thread {
      %o = loop.zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>>
      // CHECK: loop.drain_in_cluster %o rows 5 at [0, 0] within [5, 24] zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
      // CHECK-NEXT: ^bb0(%row: index, %column: index, %value: f32):
      loop.drain_in_cluster %o rows 5 at [0, 0] within [5, 24] zero : memref<16x24xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(1, 1) * repeat(1, 3)>, #loop.space<register>> {
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
