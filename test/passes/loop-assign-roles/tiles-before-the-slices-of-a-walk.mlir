// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// Where a block walks, a tile before the slices has two slots: the next one's comes while one is worked on.

// CHECK:      %[[Q:.*]] = loop.alloc : memref<2x64x16xf16
// CHECK:      gpu.mbarrier_init %[[F:full_.*]][0] {arrivals = 1 : i64}
// CHECK-NEXT: gpu.mbarrier_init %[[F]][1] {arrivals = 1 : i64}
// CHECK-NEXT: gpu.mbarrier_init %[[E:.*]][0] {arrivals = 4 : i64}
// CHECK:      scf.for %[[T:.*]] = %b to
// CHECK:        gpu.mbarrier_wait %[[F]][%[[T]] floordiv 2]
// CHECK:        loop.for
// CHECK:          loop.contract %s, %[[Q]][%[[T]] floordiv 2]
// CHECK:        gpu.mbarrier_arrive %[[E]][%[[T]] floordiv 2]
// CHECK:        loop.normalize
// CHECK:      }, {
// CHECK:        scf.for %[[U:.*]] = %b to
// CHECK:          gpu.mbarrier_wait %[[E]][%[[U]] floordiv 2]
// CHECK:          gpu.mbarrier_arrive %[[F]][%[[U]] floordiv 2] {bytes = 2048 : i64}
// CHECK:          loop.stage async tensor %[[Q]][%[[U]] floordiv 2] at %[[F]][
loop.kernel @g(%x: memref<256x16xf16>, %w: memref<48x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %b = 0 to 2 kind = parallel map = grid {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %four = arith.constant 4 : index
    %two = arith.constant 2 : index
    scf.for %tile = %b to %four step %two {
      %qs = loop.alloc : memref<64x16xf16, #loop.space<shared>>
      loop.stage tensor %qs map = <repeat(1, 1) * spatial(64, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
      ^bb0(%i: index, %j: index):
        %e = loop.load %x[%tile * 64 + %i, %j] : memref<256x16xf16> -> f32
        loop.yield %e : f32
      }
      %o = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
      %ks = loop.alloc : memref<16x16xf16, #loop.space<shared>>
      loop.for %k = 0 to 3 kind = reduction map = serial attributes {pipeline = 2 : i64, producers = 1 : i64} {
        loop.stage tensor %ks map = <spatial(16, 2) * repeat(1, 8)> : memref<16x16xf16, #loop.space<shared>> {
        ^bb0(%i: index, %j: index):
          %e = loop.load %w[%k * 16 + %i, %j] : memref<48x16xf16> -> f32
          loop.yield %e : f32
        }
        %s = loop.zero : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
        loop.contract %s, %qs, %ks transpose_rhs : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf16, #loop.space<shared>>, memref<16x16xf16, #loop.space<shared>>
        loop.online_softmax %s at [%k * 16] within [48] for %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
        loop.contract %o, %s, %ks : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>, memref<16x16xf16, #loop.space<shared>>
        loop.yield
      }
      loop.normalize %o : memref<64x16xf32, #loop.spread<instruction = "wgmma.m64n16k16", map = spatial(1, 1) * repeat(1, 1)>, #loop.space<register>>
    }
    loop.yield
  }
  loop.yield
  }
  loop.end
}
