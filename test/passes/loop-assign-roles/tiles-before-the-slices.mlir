// RUN: dlc-opt %s --loop-assign-roles | filecheck %s

// A tile that is staged before the slices is brought by the producers, too, once: those who multiply wait for it.
// What else they do with tiles in the loop stays; a slot is given back when it is done.

// CHECK:      %[[Q:.*]] = loop.alloc : memref<1x64x16xf16
// CHECK:      gpu.mbarrier_init %full[0] {arrivals = 1 : i64}
// CHECK:      gpu.mbarrier_init %[[W:.*]][0] {arrivals = 1 : i64} : memref<1xi64
// CHECK-NOT:  gpu.mbarrier_init
// CHECK:      gpu.mbarrier_wait %[[W]][0]
// CHECK-NEXT: loop.for %[[K:.*]] = 0 to 3
// CHECK:        gpu.mbarrier_wait %full[%[[K]] mod 2]
// CHECK:        loop.contract %s, %[[Q]][0], %{{.*}}[%[[K]] mod 2] transpose_rhs
// CHECK-NEXT:   loop.online_softmax
// CHECK-NEXT:   loop.contract %o, %s, %{{.*}}[%[[K]] mod 2]
// CHECK:        gpu.mbarrier_arrive %empty[%[[K]] mod 2]
// CHECK:      }, {
// CHECK:        gpu.mbarrier_arrive %[[W]][0] {bytes = 2048 : i64}
// CHECK:        loop.stage async tensor %[[Q]][0] at %[[W]][0]
// CHECK:        loop.for
// CHECK-NOT:      %[[Q]]
loop.kernel @g(%x: memref<64x16xf16>, %w: memref<48x16xf16>, %y: memref<64x16xf16>) attributes {outputs = 1 : i64} {
  loop.for %t = 0 to 128 kind = parallel map = thread {
    %qs = loop.alloc : memref<64x16xf16, #loop.space<shared>>
    loop.stage tensor %qs map = <repeat(1, 1) * spatial(64, 2) * repeat(1, 8)> : memref<64x16xf16, #loop.space<shared>> {
    ^bb0(%i: index, %j: index):
      %e = loop.load %x[%i, %j] : memref<64x16xf16> -> f32
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
    loop.yield
  }
  
  loop.end
}
