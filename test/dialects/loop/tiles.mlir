// RUN: %roundtrip

// CHECK: loop.kernel @product
loop.kernel @product(%x: memref<128x768xf16>, %w: memref<768x128xf16>, %y: memref<128x128xf16>, %p: memref<4x3x8192xf32>) attributes {outputs = 1 : i64, scratch = array<i64: 393216>} {
  loop.for %b = 0 to 12 kind = parallel map = grid {
    %tile = loop.index [%b floordiv 3]
    %part = loop.index [%b mod 3]
    loop.for %t = 0 to 128 kind = parallel map = thread {
      // CHECK: %acc = loop.zero : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>
      %acc = loop.zero : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>
      %s = loop.alloc : memref<64x32xf16, #loop.space<shared>>
      %r = loop.alloc : memref<2x32x128xf16, #loop.space<shared>>
      %c = gpu.counter_alloc : memref<4xi32>
      // CHECK: attributes {pipeline = 3 : i64}
      loop.for %k = 0 to 8 kind = reduction map = serial attributes {pipeline = 3 : i64} {
        // CHECK: loop.stage %s map = <repeat(2, 1) * spatial(32, 4) * repeat(1, 8)> : memref<64x32xf16, #loop.space<shared>> {
        // CHECK-NEXT: ^bb0(%i: index, %j: index):
        loop.stage %s map = <repeat(2, 1) * spatial(32, 4) * repeat(1, 8)> : memref<64x32xf16, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %e = loop.load %x[%i, %k * 32 + %j] : memref<128x768xf16> -> f32
          // CHECK: loop.yield %e : f32
          loop.yield %e : f32
        }
        // CHECK: loop.stage async %r[%k mod 2] map = <repeat(4, 1) * spatial(8, 16) * repeat(1, 8)> : memref<2x32x128xf16, #loop.space<shared>> {
        loop.stage async %r[%k mod 2] map = <repeat(4, 1) * spatial(8, 16) * repeat(1, 8)> : memref<2x32x128xf16, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %e = loop.load %w[%k * 32 + %i, %j] : memref<768x128xf16> -> f32
          loop.yield %e : f32
        }
        // CHECK: loop.contract %acc, %s, %r[%k mod 2] : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>, memref<64x32xf16, #loop.space<shared>>, memref<2x32x128xf16, #loop.space<shared>>
        loop.contract %acc, %s, %r[%k mod 2] : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>, memref<64x32xf16, #loop.space<shared>>, memref<2x32x128xf16, #loop.space<shared>>
        loop.yield
      }
      // CHECK: %last = loop.combine_parts %acc through %p[%tile, %part] counters %c : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>, memref<4x3x8192xf32>, memref<4xi32>
      %last = loop.combine_parts %acc through %p[%tile, %part] counters %c : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>>, memref<4x3x8192xf32>, memref<4xi32>
      scf.if %last {
        // CHECK: loop.drain %acc at [%tile * 64, 0] within [100, 128] : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>> {
        // CHECK-NEXT: ^bb0(%row: index, %column: index, %v: f32):
        loop.drain %acc at [%tile * 64, 0] within [100, 128] : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>> {
        ^bb0(%row: index, %column: index, %v: f32):
          loop.store %v, %y[%row, %column] : f32 -> memref<128x128xf16>
          loop.yield
        }
      }
      // CHECK: loop.drain %acc at [0, 0] within [100, 128] {exchange} :
      loop.drain %acc at [0, 0] within [100, 128] {exchange} : memref<64x128xf32, #loop.spread<instruction = "mma.m16n8k16", map = spatial(2, 2) * repeat(2, 8)>, #loop.space<register>> {
      ^bb0(%row: index, %column: index, %v: f32):
        loop.yield
      }
      loop.yield
    }
    loop.yield
  }
  loop.end
}
